import { useCallback, useState } from "react";
import type { ApiKey } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { DisableKeyDialog } from "./disable-key.tsx";
import { EnableLeakedKeyDialog } from "./enable-leaked-key.tsx";
import { RevokeKeyDialog } from "./revoke-key.tsx";
import { RotateKeyDialog } from "./rotate-key.tsx";

export type KeyDialog = "disable" | "enable" | "rotate" | "revoke";

export interface KeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  /** The element to focus afterwards: the menu's entry that opened the dialog is gone. */
  readonly finalFocus: () => HTMLElement | null | true;
}

interface Opened {
  readonly key: ApiKey;
  readonly dialog: KeyDialog;
  readonly opener: HTMLElement | null;
}

const DIALOGS = {
  disable: DisableKeyDialog,
  enable: EnableLeakedKeyDialog,
  rotate: RotateKeyDialog,
  revoke: RevokeKeyDialog,
};

/**
 * The one open dialog of a page. The page has it, and not the row of the key: a list that is loaded again may lose the row, and
 * the dialog may have a new key's value.
 */
export function useKeyDialogs() {
  const [opened, setOpened] = useState<Opened>();
  const open = useCallback((key: ApiKey, dialog: KeyDialog, menu: HTMLElement | null) => {
    const { activeElement } = document;
    const isButton = activeElement instanceof HTMLButtonElement;
    setOpened({ key, dialog, opener: isButton ? activeElement : menu });
  }, []);
  const Dialog = opened && DIALOGS[opened.dialog];
  const dialog = Dialog && (
    <Dialog
      apiKey={opened.key}
      onClose={() => setOpened(undefined)}
      finalFocus={() => (opened.opener?.isConnected ? opened.opener : true)}
    />
  );
  return { open, dialog };
}

export type OpenKeyDialog = ReturnType<typeof useKeyDialogs>["open"];
