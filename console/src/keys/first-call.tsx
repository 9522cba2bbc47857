import { type ApiKey, KeyStatus, KeyType } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { snippetOf } from "./snippets.ts";

/** In place of the usage of a key that was never used: how to use it, if it can be used. */
export function FirstCall({ apiKey: key }: { apiKey: ApiKey }) {
  if (key.status !== KeyStatus.ACTIVE) return <p>It cannot be used as it is.</p>;
  const isPublishable = key.keyType === KeyType.PUBLISHABLE;
  const command = snippetOf("curl", { url: location.origin, key: "$LATCHKEY_KEY", isPublishable }).replace(
    "'x-api-key: $LATCHKEY_KEY'",
    '"x-api-key: $LATCHKEY_KEY"',
  );
  return (
    <>
      <p>
        Send a request, with the value of this key in LATCHKEY_KEY
        {isPublishable && ", and the token of one of your users in USER_TOKEN"}:
      </p>
      <pre className="command">{command}</pre>
      <div className="copy">
        <CopyButton text={command} label="Copy the command" />
      </div>
      <p className="quiet">It is here a second later.</p>
    </>
  );
}
