import { useMutation, useQuery } from "@connectrpc/connect-query";
import { useState } from "react";
import { useLocation, useParams } from "wouter";
import type { FederationRule } from "../../../clients/typescript/src/gen/latchkey/v1/federation_pb.ts";
import { FederationService } from "../../../clients/typescript/src/gen/latchkey/v1/federation_service_pb.ts";
import { useUnsaved } from "../ui/leave-guard.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { withoutAsking } from "../ui/navigation-guards.ts";
import { PageHeader } from "../ui/page-header.tsx";
import { useToast } from "../ui/toast.tsx";
import { draftOf, maskOf, missingOf, type RuleDraft, requestOf } from "./rule-draft.ts";
import { RuleForm } from "./rule-form.tsx";
import { useRefreshRules } from "./rule-queries.ts";

/** Changes what was changed, and nothing else. */
export function EditRulePage() {
  const { ruleId = "" } = useParams();
  const query = useQuery(FederationService.method.getFederationRule, { ruleId });
  return (
    <Loaded query={query} what="the rule">
      {({ result }) => result && <EditRule rule={result} />}
    </Loaded>
  );
}

function EditRule({ rule }: { rule: FederationRule }) {
  const { ruleId, name } = rule;
  const [, navigate] = useLocation();
  const refresh = useRefreshRules();
  const toast = useToast();
  const path = `/workloads/${ruleId}`;
  // As the rule was when the page was opened: a refetch must change neither what is typed nor what differs from it.
  const [before] = useState(() => draftOf(rule));
  const [draft, setDraft] = useState<RuleDraft>(before);
  const { mutate, error, isPending } = useMutation(FederationService.method.updateFederationRule, {
    onSuccess: async () => {
      await refresh();
      toast("Rule saved");
      withoutAsking(() => navigate(path));
    },
  });
  const mask = maskOf(before, draft);
  const guard = useUnsaved(mask.length > 0);
  return (
    <div className="form-page">
      <PageHeader title={`Edit ${name}`} back={{ href: path, label: name }} />
      <RuleForm
        draft={draft}
        change={(changes) => setDraft((was) => ({ ...was, ...changes }))}
        missing={missingOf(draft)}
        note={mask.length === 0 ? "Nothing is changed yet." : "It binds on every replica when it is saved."}
        error={error}
        send={{ label: "Save", isBusy: isPending, isDisabled: mask.length === 0 }}
        onSend={() => mutate({ ...requestOf(draft), ruleId, updateMask: mask.join(",") })}
        onCancel={() => withoutAsking(() => navigate(path))}
      />
      {guard.question}
    </div>
  );
}
