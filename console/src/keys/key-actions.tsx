import { useMutation } from "@connectrpc/connect-query";
import { useState } from "react";
import { type ApiKey, KeyStatus, KeyType } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/states.tsx";
import { EditKeyDialog } from "./edit-key.tsx";
import { useKeysChanged } from "./keys-changed.ts";
import { RevokeKeyDialog } from "./revoke-key.tsx";
import { RotateKeyDialog } from "./rotate-key.tsx";

/** What can be done with a key, in the state that it is in, by someone who may change keys. */
export function KeyActions({ apiKey: key }: { apiKey: ApiKey }) {
  const { may } = useCaller();
  const [open, setOpen] = useState<"edit" | "rotate" | "revoke">();
  const onSuccess = useKeysChanged();
  const disable = useMutation(ApiKeyService.method.disableApiKey, { onSuccess });
  const enable = useMutation(ApiKeyService.method.enableApiKey, { onSuccess });
  if (!may("api_keys:write") || key.status === KeyStatus.REVOKED) return null;
  const { keyId, status } = key;
  const isDisabled = status === KeyStatus.DISABLED;
  const isSecret = key.keyType === KeyType.SECRET;
  const error = disable.error ?? enable.error;
  const close = () => setOpen(undefined);
  return (
    <>
      <div className="actions">
        <Button onClick={() => setOpen("edit")}>Edit</Button>
        {status === KeyStatus.ACTIVE || status === KeyStatus.DISABLED ? (
          // One button, so that the focus stays where it is.
          <Button onClick={() => (isDisabled ? enable : disable).mutate({ keyId })}>
            {isDisabled ? "Enable" : "Disable"}
          </Button>
        ) : null}
        {isSecret && status === KeyStatus.ACTIVE && key.rotatedTo === undefined && (
          <Button onClick={() => setOpen("rotate")}>Rotate</Button>
        )}
        <Button look="danger" onClick={() => setOpen("revoke")}>
          Revoke
        </Button>
      </div>
      {error !== null && <Problem error={error} />}
      {open === "edit" && <EditKeyDialog apiKey={key} onClose={close} />}
      {open === "rotate" && <RotateKeyDialog apiKey={key} onClose={close} />}
      {open === "revoke" && <RevokeKeyDialog apiKey={key} onClose={close} />}
    </>
  );
}
