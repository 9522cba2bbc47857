import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Alert } from "../ui/dialog.tsx";

/** The secret of a webhook: the one time that it is there. Leaving needs a word that it is kept. */
export function SecretDialog({ secret, note, onDone }: { secret: string; note?: string; onDone: () => void }) {
  const [isKept, setKept] = useState(false);
  return (
    <Alert
      title="The endpoint's secret"
      description={`Your receiver checks with it that an event is from here. This is the only time that you see it. ${note ?? ""}`}
      open
      onClose={() => isKept && onDone()}
    >
      <code className="secret" data-testid="secret">
        {secret}
      </code>
      <label className="check">
        <input type="checkbox" checked={isKept} onChange={(event) => setKept(event.currentTarget.checked)} />
        <span>I have stored the secret</span>
      </label>
      <div className="actions">
        <CopyButton text={secret} label="Copy secret" />
        <Button look="main" disabled={!isKept} onClick={onDone}>
          Done
        </Button>
      </div>
    </Alert>
  );
}
