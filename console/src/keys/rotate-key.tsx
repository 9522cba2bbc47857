import { useId, useState } from "react";
import { useLocation } from "wouter";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { useCreation } from "../api/creation.ts";
import "../styles/key-page.css";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { LostSecretDialog } from "../ui/lost-secret.tsx";
import { Problem } from "../ui/states.tsx";
import { IssuedKeyDialog } from "./issued-key.tsx";
import type { KeyDialogProps } from "./key-dialogs.tsx";
import { useKeysChanged } from "./keys-changed.ts";
import { RotationTimeline } from "./rotation-timeline.tsx";

const HOURS_DEFAULT = "24";
const HOURS_MAX = 720;
const PRESETS = [
  { hours: "0", label: "At once" },
  { hours: "1", label: "1 h" },
  { hours: "24", label: "24 h" },
  { hours: "168", label: "7 days" },
];

/** Makes the successor of a key, and shows for how long both are valid. */
export function RotateKeyDialog({ apiKey: key, onClose, finalFocus }: KeyDialogProps) {
  const [, navigate] = useLocation();
  const [hours, setHours] = useState(HOURS_DEFAULT);
  const label = useId();
  const keysChanged = useKeysChanged();
  const { make, data, error, isPending } = useCreation(ApiKeyService.method.rotateApiKey);
  const grace = /^\d{1,3}$/.test(hours) && Number(hours) <= HOURS_MAX ? Number(hours) : undefined;
  const issued = data?.result;
  if (issued !== undefined) {
    const finish = async (): Promise<void> => {
      await keysChanged();
      onClose();
      navigate(`/keys/${issued.keyId}`);
    };
    if (issued.key === "")
      return (
        <LostSecretDialog
          made="new key"
          lost="value"
          text="Another new key takes the place of the lost one at once. The old key is not changed."
          isBusy={isPending}
          error={error}
          onReplace={() => make({ keyId: issued.keyId, gracePeriodHours: 0 })}
          onClose={() => void finish()}
        />
      );
    return <IssuedKeyDialog issued={issued} isPublishable={false} onDone={() => void finish()} />;
  }
  return (
    <Dialog
      title={`Rotate ${key.name}`}
      description="A new key takes its place, with the same name, scopes, limit and expiry. Both work until the old one ends."
      open
      onClose={onClose}
      finalFocus={finalFocus}
    >
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (grace !== undefined) make({ keyId: key.keyId, gracePeriodHours: grace });
        }}
      >
        <div className="rotate-hours">
          {/* biome-ignore lint/a11y/useSemanticElements: buttons, not fields */}
          <div className="field" role="group" aria-labelledby={label}>
            <span className="label" id={label}>
              Both keys work for
            </span>
            <div className="toggles">
              {PRESETS.map((preset) => (
                <button
                  key={preset.hours}
                  type="button"
                  className="toggle"
                  aria-pressed={hours === preset.hours}
                  onClick={() => setHours(preset.hours)}
                >
                  {preset.label}
                </button>
              ))}
            </div>
          </div>
          <Field
            label="Hours for which both work"
            hint="0 to 720. 0: the old key ends at once."
            inputMode="numeric"
            value={hours}
            onChange={setHours}
            problem={grace === undefined ? "Must be a whole number from 0 to 720." : undefined}
          />
        </div>
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
