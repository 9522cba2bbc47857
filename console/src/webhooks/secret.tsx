import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Alert } from "../ui/dialog.tsx";
import { useLeaveGuard } from "../ui/leave-guard.tsx";

/** The secret of a webhook, the one time that it is there. Leaving asks, until it was copied or is said to be stored. */
export function SecretDialog({ secret, note, onDone }: { secret: string; note?: string; onDone: () => void }) {
  const [isKept, setKept] = useState(false);
  const guard = useLeaveGuard({
    isOn: !isKept,
    title: "Leave without the secret?",
    text: "You have not copied it, and it cannot be shown again: you would rotate the secret to get another one.",
    leave: "Leave without it",
  });
  return (
    <Alert
      title="The endpoint's secret"
      description={`Your receiver checks with it that an event is from here. This is the only time that you see it. ${note ?? ""}`}
      open
      onClose={() => guard.ask(onDone)}
    >
      <code className="secret" data-testid="secret">
        {secret}
      </code>
      <label className="check">
        <input type="checkbox" checked={isKept} onChange={(event) => setKept(event.currentTarget.checked)} />
        <span>I have stored the secret</span>
      </label>
      <div className="actions">
        <CopyButton text={secret} label="Copy secret" onCopied={() => setKept(true)} />
        <Button look="main" onClick={() => guard.ask(onDone)}>
          Done
        </Button>
      </div>
      {guard.question}
    </Alert>
  );
}
