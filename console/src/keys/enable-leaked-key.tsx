import { useMutation } from "@connectrpc/connect-query";
import { useLocation } from "wouter";
import type { ApiKey } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { Button } from "../ui/button.tsx";
import { Alert } from "../ui/dialog.tsx";
import { Problem } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import type { KeyDialogProps } from "./key-dialogs.tsx";
import { useKeysChanged } from "./keys-changed.ts";

/** Asks before a leaked key works again, and offers the key that replaces it. */
export function EnableLeakedKeyDialog({ apiKey: key, onClose, finalFocus }: KeyDialogProps) {
  const [, navigate] = useLocation();
  const keysChanged = useKeysChanged();
  const toast = useToast();
  const onSuccess = async (): Promise<void> => {
    await keysChanged();
    onClose();
    toast("Key enabled");
  };
  const { mutate, error, isPending } = useMutation(ApiKeyService.method.enableApiKey, { onSuccess });
  return (
    <Alert
      title={`Enable the leaked key ${key.name}?`}
      description={
        <>
          Others know this key: it was reported as leaked <Time at={key.leakedAt} />
          {leakPlace(key)}. Enabled, it works for them, too. Create a replacement with the same settings instead.
        </>
      }
      open
      onClose={onClose}
      finalFocus={finalFocus}
    >
      {error !== null && <Problem error={error} />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" busy={isPending} onClick={() => mutate({ keyId: key.keyId })}>
          Enable it all the same
        </Button>
        <Button look="main" onClick={() => navigate(replacementOf(key))}>
          Create a replacement
        </Button>
      </div>
    </Alert>
  );
}

/** Where a key was found, as what follows "leaked". */
export function leakPlace({ leakUrl, leakSource }: Pick<ApiKey, "leakUrl" | "leakSource">): string {
  if (leakUrl) return `, found at ${leakUrl}`;
  return leakSource ? `, found by ${leakSource}` : "";
}

export function replacementOf({ keyId }: Pick<ApiKey, "keyId">): string {
  return `/keys/new?like=${encodeURIComponent(keyId)}`;
}
