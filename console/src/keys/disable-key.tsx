import { useMutation } from "@connectrpc/connect-query";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { Confirm } from "../members/confirm.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import type { KeyDialogProps } from "./key-dialogs.tsx";
import { useKeysChanged } from "./keys-changed.ts";

/** Asks before the calls with a key are denied, and says when the last one was. */
export function DisableKeyDialog({ apiKey: { keyId, name, lastUsedAt }, onClose, finalFocus }: KeyDialogProps) {
  const keysChanged = useKeysChanged();
  const toast = useToast();
  const { mutateAsync } = useMutation(ApiKeyService.method.disableApiKey);
  const disable = async (): Promise<void> => {
    await mutateAsync({ keyId });
    await keysChanged();
    toast("Key disabled");
  };
  return (
    <Confirm
      title={`Disable ${name}?`}
      action="Disable key"
      onConfirm={disable}
      onClose={onClose}
      focusAfter={finalFocus}
    >
      Every call with it is denied from now on, until you enable it again. Last used: <Time at={lastUsedAt} />.
    </Confirm>
  );
}
