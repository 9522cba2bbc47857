import { useMutation } from "@connectrpc/connect-query";
import { useState } from "react";
import { useLocation } from "wouter";
import type { ApiKey } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { Problem } from "../ui/states.tsx";
import { IssuedKeyDialog } from "./issued-key.tsx";
import { useKeysChanged } from "./keys-changed.ts";
import { RotationTimeline } from "./rotation-timeline.tsx";

const HOURS_DEFAULT = "24";
const HOURS_MAX = 720;

/** Makes the successor of a key, and shows for how long both are valid. */
export function RotateKeyDialog({ apiKey: key, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [, navigate] = useLocation();
  const [hours, setHours] = useState(HOURS_DEFAULT);
  const keysChanged = useKeysChanged();
  const { mutate, data, error, isPending } = useMutation(ApiKeyService.method.rotateApiKey);
  const grace = /^\d{1,3}$/.test(hours) && Number(hours) <= HOURS_MAX ? Number(hours) : undefined;
  const issued = data?.result;
  if (issued !== undefined) {
    const finish = async (): Promise<void> => {
      await keysChanged();
      navigate(`/keys/${issued.keyId}`);
    };
    return <IssuedKeyDialog issued={issued} onDone={() => void finish()} />;
  }
  return (
    <Dialog
      title={`Rotate ${key.name}`}
      description="A new key takes its place, with the same name, scopes, limit and expiry. Both work until the old one ends."
      open
      onClose={onClose}
    >
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (grace !== undefined) mutate({ keyId: key.keyId, gracePeriodHours: grace });
        }}
      >
        <Field
          label="Hours for which both work"
          hint="0 to 720. 0: the old key ends at once."
          inputMode="numeric"
          value={hours}
          onChange={setHours}
          problem={grace === undefined ? "Must be a whole number from 0 to 720." : undefined}
        />
        <RotationTimeline graceHours={grace ?? 0} oldEndsAt={key.expiresAt} />
        {error !== null && <Problem error={error} />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" type="submit" disabled={grace === undefined} busy={isPending}>
            Rotate key
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
