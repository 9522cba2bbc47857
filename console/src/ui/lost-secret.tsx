import { Button } from "./button.tsx";
import { Alert } from "./dialog.tsx";
import { Problem } from "./states.tsx";

interface LostSecretDialogProps {
  /** What was made, such as `key`. */
  readonly made: string;
  /** What was lost, such as `value`. */
  readonly lost: string;
  /** What happens when it is replaced, as a sentence. */
  readonly text: string;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onReplace: () => void;
  readonly onClose: () => void;
}

/** For what an earlier call has made, whose answer was lost: its secret is unknown, and this offers another. */
export function LostSecretDialog({ made, lost, text, isBusy, error, onReplace, onClose }: LostSecretDialogProps) {
  return (
    <Alert
      title={`The ${made} was made, but its ${lost} was lost`}
      description={`The connection broke before the ${lost} came here, and the service does not show it twice, so it is lost. ${text}`}
      open
      onClose={onClose}
    >
      {error !== null && <Problem error={error} />}
      <div className="actions">
        <Button onClick={onClose}>Close</Button>
        <Button look="main" busy={isBusy} onClick={onReplace}>
          Get another {lost}
        </Button>
      </div>
    </Alert>
  );
}
