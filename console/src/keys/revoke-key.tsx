import { useMutation } from "@connectrpc/connect-query";
import { useState } from "react";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { Button } from "../ui/button.tsx";
import { Alert } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { Problem } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { isTypedName } from "../ui/typed-name.ts";
import type { KeyDialogProps } from "./key-dialogs.tsx";
import { useKeysChanged } from "./keys-changed.ts";

/** Asks for the key's name: nothing brings a revoked key back. */
export function RevokeKeyDialog({ apiKey: key, onClose, finalFocus }: KeyDialogProps) {
  const [typed, setTyped] = useState("");
  const keysChanged = useKeysChanged();
  const toast = useToast();
  const onSuccess = async (): Promise<void> => {
    await keysChanged();
    onClose();
    toast("Key revoked");
  };
  const { mutate, error, isPending } = useMutation(ApiKeyService.method.revokeApiKey, { onSuccess });
  const isMeant = isTypedName(typed, key.name);
  return (
    <Alert
      title={`Revoke ${key.name}?`}
      description={
        <>
          Every call with it is denied from now on, and it cannot be undone. To stop it for a while, disable it.
          {key.lastUsedAt && (
            <>
              {" "}
              It was last used <Time at={key.lastUsedAt} />.
            </>
          )}
        </>
      }
      open
      onClose={onClose}
      finalFocus={finalFocus}
    >
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isMeant) mutate({ keyId: key.keyId });
        }}
      >
        <Field label={`Type the key's name, ${key.name}`} value={typed} onChange={setTyped} autoComplete="off" />
        {error !== null && <Problem error={error} />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" type="submit" disabled={!isMeant} busy={isPending}>
            Revoke key
          </Button>
        </div>
      </form>
    </Alert>
  );
}
