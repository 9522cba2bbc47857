import { useMutation } from "@connectrpc/connect-query";
import { useLocation } from "wouter";
import { type ApiKey, KeyStatus, KeyType } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { failureOf } from "../api/failure.ts";
import { Ban, Copy, type Icon, Pencil, Power, PowerOff, RefreshCw } from "../ui/icons.tsx";
import { useToast } from "../ui/toast.tsx";
import { replacementOf } from "./enable-leaked-key.tsx";
import type { KeyDialog } from "./key-dialogs.tsx";
import { useKeysChanged } from "./keys-changed.ts";

export interface KeyAction {
  readonly label: string;
  readonly icon: Icon;
  readonly isDanger?: boolean;
  readonly onSelect: () => void;
}

/** The actions on a key in its state, for someone who may change keys. */
export function useKeyActions(key: ApiKey, open: (dialog: KeyDialog) => void): readonly KeyAction[] {
  const { may } = useCaller();
  const [, navigate] = useLocation();
  const keysChanged = useKeysChanged();
  const toast = useToast();
  const enable = useMutation(ApiKeyService.method.enableApiKey, {
    onSuccess: async () => {
      await keysChanged();
      toast("Key enabled");
    },
    onError: (err) => toast(failureOf(err).message, "bad"),
  });
  const { keyId, status } = key;
  const isRevoked = status === KeyStatus.REVOKED;
  const isRotatable = key.keyType === KeyType.SECRET && status === KeyStatus.ACTIVE && key.rotatedTo === undefined;
  const isDisabled = status === KeyStatus.DISABLED;
  const actions: (KeyAction | false)[] = [
    !isRevoked && { label: "Edit", icon: Pencil, onSelect: () => navigate(`/keys/${keyId}/edit`) },
    isRotatable && { label: "Rotate", icon: RefreshCw, onSelect: () => open("rotate") },
    status === KeyStatus.ACTIVE && { label: "Disable", icon: PowerOff, onSelect: () => open("disable") },
    isDisabled && {
      label: "Enable",
      icon: Power,
      onSelect: () => (key.leakedAt ? open("enable") : enable.mutate({ keyId })),
    },
    { label: "Duplicate", icon: Copy, onSelect: () => navigate(replacementOf(key)) },
    !isRevoked && { label: "Revoke", icon: Ban, isDanger: true, onSelect: () => open("revoke") },
  ];
  return may("api_keys:write") ? actions.filter((action) => action !== false) : [];
}
