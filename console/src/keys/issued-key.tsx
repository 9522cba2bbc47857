import { useQuery } from "@connectrpc/connect-query";
import { useState } from "react";
import { ApiKeyService, type IssuedKey } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Alert } from "../ui/dialog.tsx";
import { Check, Copy } from "../ui/icons.tsx";
import { useLeaveGuard } from "../ui/leave-guard.tsx";
import { Notice } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { LANGUAGES, type Language, snippetOf } from "./snippets.ts";

interface IssuedKeyDialogProps {
  readonly issued: IssuedKey;
  readonly isPublishable: boolean;
  readonly warning?: string | undefined;
  readonly onDone: () => void;
}

/** The full value of a new key: the one time that it is there. Leaving asks, until it was copied. */
export function IssuedKeyDialog({ issued, isPublishable, warning, onDone }: IssuedKeyDialogProps) {
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");
  const guard = useLeaveGuard({
    isOn: copied !== "yes",
    title: "Leave without the key?",
    text: isPublishable
      ? "You have not copied it. It is not a secret, but only this page shows it whole."
      : "You have not copied it, and it cannot be shown again.",
    leave: "Leave without it",
    stay: "Stay",
  });
  const copy = (): Promise<void> =>
    navigator.clipboard.writeText(issued.key).then(
      () => setCopied("yes"),
      () => setCopied("failed"),
    );
  return (
    <Alert
      title="Your new key"
      description={
        isPublishable
          ? "Put it into your app or page. It is not a secret: each call must also carry a signed-in user's token. Copy it now, since only this page shows it whole."
          : "Store it in your secret manager. We keep only a hash, so we can't show it again."
      }
      open
      onClose={() => guard.ask(onDone)}
    >
      <div className="secret-line">
        <code className="secret" data-testid="secret">
          {issued.key}
        </code>
        <Button look="main" onClick={() => void copy()}>
          {copied === "yes" ? <Check /> : <Copy />}
          {copied === "yes" ? "Copied" : "Copy key"}
        </Button>
      </div>
      <p className="hint" role="status">
        {copied === "yes" && "The key is copied."}
        {copied === "failed" && "It could not be copied: select the text instead."}
      </p>
      {warning && <Notice kind="warn">{warning}</Notice>}
      <FirstRequest issued={issued} isPublishable={isPublishable} />
      <div className="actions">
        <Button onClick={() => guard.ask(onDone)}>Done</Button>
      </div>
      {guard.question}
    </Alert>
  );
}

/** Ms between two looks at the key's counters. */
const LOOK_MS = 2_000;

/** How to make the first request, in each language, and whether it has come. */
function FirstRequest({
  issued: { key, keyId },
  isPublishable,
}: Pick<IssuedKeyDialogProps, "issued" | "isPublishable">) {
  const [language, setLanguage] = useState<Language>("curl");
  const snippet = snippetOf(language, { url: location.origin, key, isPublishable });
  const { data } = useQuery(
    ApiKeyService.method.getApiKeyUsage,
    { keyId },
    { refetchInterval: ({ state }) => ((state.data?.result?.totalVerifications ?? 0) > 0 ? false : LOOK_MS) },
  );
  const { totalVerifications = 0, failedVerifications = 0 } = data?.result ?? {};
  return (
    <>
      <Tabs label="Language" tabs={LANGUAGES} value={language} onChange={setLanguage}>
        <pre className="command snippet">{snippet}</pre>
        <div className="snippet-line">
          <FirstRequestState total={totalVerifications} failed={failedVerifications} />
          <CopyButton text={snippet} label="Copy the code" />
        </div>
      </Tabs>
      {isPublishable && (
        <p className="hint">Set USER_TOKEN to a token of one of your users, from your identity provider.</p>
      )}
    </>
  );
}

function FirstRequestState({ total, failed }: { total: number; failed: number }) {
  const look = total === 0 ? "waiting" : failed === total ? "denied" : "received";
  const texts = {
    waiting: "Waiting for the first request…",
    denied: "First request received, and denied: its key's page says why",
    received: "First request received",
  };
  return (
    <p className={`first-request first-request-${look}`} role="status">
      {texts[look]}
    </p>
  );
}
