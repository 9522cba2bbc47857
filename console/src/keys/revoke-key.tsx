import { useMutation } from "@connectrpc/connect-query";
import { useState } from "react";
import type { ApiKey } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { Button } from "../ui/button.tsx";
import { Alert } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { Problem } from "../ui/states.tsx";
import { useKeysChanged } from "./keys-changed.ts";

/** Asks for the key's name: nothing brings a revoked key back. */
export function RevokeKeyDialog({ apiKey: key, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const keysChanged = useKeysChanged();
  const onSuccess = async (): Promise<void> => {
    await keysChanged();
    onClose();
  };
  const { mutate, error, isPending } = useMutation(ApiKeyService.method.revokeApiKey, { onSuccess });
  const isMeant = typed.trim() === key.name.trim();
  return (
    <Alert
      title={`Revoke ${key.name}?`}
      description="Every call with it is denied from now on, and it cannot be undone. To stop it for a while, disable it."
      open
      onClose={onClose}
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
