import { useMutation, useQuery } from "@connectrpc/connect-query";
import { useState } from "react";
import { useLocation, useParams } from "wouter";
import { type ApiKey, KeyStatus } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import "../styles/keys.css";
import { Banner } from "../ui/banner.tsx";
import { useUnsaved } from "../ui/leave-guard.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { withoutAsking } from "../ui/navigation-guards.ts";
import { PageHeader } from "../ui/page-header.tsx";
import { useToast } from "../ui/toast.tsx";
import { draftOf, expiryRuleOf, type KeyDraft, maskOf, missingOf, updateRequest } from "./key-draft.ts";
import { KeyForm } from "./key-form.tsx";
import { useKeysChanged } from "./keys-changed.ts";
import { limitSentence } from "./limit-sentence.ts";
import { useRules } from "./rules.ts";

/** Changes what was changed, and nothing else. */
export function EditKeyPage() {
  const { keyId = "" } = useParams();
  const query = useQuery(ApiKeyService.method.getApiKey, { keyId });
  return (
    <Loaded query={query} what="the key">
      {({ result }) => result && <EditKey apiKey={result} />}
    </Loaded>
  );
}

function EditKey({ apiKey: key }: { apiKey: ApiKey }) {
  const [, navigate] = useLocation();
  const rules = useRules();
  const keysChanged = useKeysChanged();
  const toast = useToast();
  const path = `/keys/${key.keyId}`;
  // As the key was when the page was opened: a refetch must change neither what is typed nor what differs from it.
  const [before] = useState(() => draftOf(key));
  const [draft, setDraft] = useState<KeyDraft>(before);
  const onSuccess = async (): Promise<void> => {
    await keysChanged();
    toast("Key saved");
    withoutAsking(() => navigate(path));
  };
  const { mutate, error, isPending } = useMutation(ApiKeyService.method.updateApiKey, { onSuccess });
  const mask = maskOf(before, draft);
  const guard = useUnsaved(mask.length > 0);
  const expiryRule = expiryRuleOf(rules, key);
  const named = new Set(mask);
  // Unchanged members may go beyond newer rules, and may be in the past: they are not sent.
  const missing = missingOf(draft, named.size === 0 ? undefined : rules, expiryRule, new Date()).filter(
    (lack) => !(lack === "a valid expiry" && !named.has("expires_at")) && !isOfBefore(lack, named),
  );
  return (
    <div className="form-page">
      <PageHeader title={`Edit ${key.name}`} back={{ href: path, label: key.name }} />
      {key.status === KeyStatus.REVOKED && <Banner tone="bad" title="This key was revoked and cannot be changed" />}
      <KeyForm
        draft={draft}
        change={(changes) => setDraft((was) => ({ ...was, ...changes }))}
        rules={rules}
        expiryRule={expiryRule}
        limitSentence={limitSentence}
        missing={missing}
        note={mask.length === 0 ? "Nothing is changed yet." : "It binds on every replica when it is saved."}
        error={error}
        send={{ label: "Save", isBusy: isPending, isDisabled: mask.length === 0 }}
        onSend={() => mutate(updateRequest(key.keyId, before, draft, new Date()))}
        onCancel={() => withoutAsking(() => navigate(path))}
      />
      {guard.question}
    </div>
  );
}

/** Whether what is lacking is a member that is not changed. */
function isOfBefore(lack: string, named: ReadonlySet<string>): boolean {
  const isNamed = (start: string): boolean => [...named].some((name) => name.startsWith(start));
  switch (lack) {
    case "a valid limit":
    case "a valid limit of each user":
      return !isNamed("rate_limit");
    case "allowed addresses":
      return !named.has("allowed_ips");
    case "issuer and audience":
      return true;
    default:
      return false;
  }
}
