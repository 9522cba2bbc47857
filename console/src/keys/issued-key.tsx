import { useEffect, useState } from "react";
import type { IssuedKey } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Alert } from "../ui/dialog.tsx";
import { Notice } from "../ui/states.tsx";

/** The full value of a new key: the one time that it is there. Leaving needs a word that it is kept. */
export function IssuedKeyDialog({
  issued,
  warning,
  onDone,
}: {
  issued: IssuedKey;
  warning?: string | undefined;
  onDone: () => void;
}) {
  const [isKept, setKept] = useState(false);
  useEffect(() => {
    if (isKept) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isKept]);
  return (
    <Alert
      title="Your new key"
      description="This is the only time that you see it. Store it where your secrets are; the service keeps a hash alone."
      open
      onClose={() => isKept && onDone()}
    >
      <code className="secret" data-testid="secret">
        {issued.key}
      </code>
      {warning && <Notice kind="warn">{warning}</Notice>}
      <label className="check">
        <input type="checkbox" checked={isKept} onChange={(event) => setKept(event.currentTarget.checked)} />
        <span>I have stored the key</span>
      </label>
      <div className="actions">
        <CopyButton text={issued.key} label="Copy key" />
        <Button look="main" disabled={!isKept} onClick={onDone}>
          Done
        </Button>
      </div>
    </Alert>
  );
}
