import { CopyButton } from "../ui/copy-button.tsx";

/** How to make a request that counts. */
export function FirstRequest() {
  const command = [
    `curl ${location.origin}/api/v1/auth/verify \\`,
    '  -H "x-api-key: $LATCHKEY_KEY" \\',
    "  -H 'Content-Type: application/json' -d '{}'",
  ].join("\n");
  return (
    <>
      <p>Each request with a key counts, also one that is denied. Send one, with the value of a key in LATCHKEY_KEY:</p>
      <pre className="command">{command}</pre>
      <div className="copy">
        <CopyButton text={command} label="Copy the command" />
      </div>
      <p className="quiet">It is here a second later.</p>
    </>
  );
}
