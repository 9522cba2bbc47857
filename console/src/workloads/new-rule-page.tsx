import { useState } from "react";
import { useLocation } from "wouter";
import { FederationService } from "../../../clients/typescript/src/gen/latchkey/v1/federation_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { useCreation } from "../api/creation.ts";
import { Choice } from "../ui/field.tsx";
import { useUnsaved } from "../ui/leave-guard.tsx";
import { withoutAsking } from "../ui/navigation-guards.ts";
import { PageHeader } from "../ui/page-header.tsx";
import { useToast } from "../ui/toast.tsx";
import { PRESETS } from "./presets.ts";
import { claimDraft, missingOf, type RuleDraft, requestOf, TTL_SECONDS_MAX } from "./rule-draft.ts";
import { RuleForm } from "./rule-form.tsx";
import { useRefreshRules } from "./rule-queries.ts";

const OTHER = "";
const PLATFORMS = [...PRESETS, { value: OTHER, label: "Another issuer of OIDC tokens" }];

/** The form for a new rule, which begins with what the tokens of the chosen platform are like. */
export function NewRulePage() {
  const { tenantId } = useCaller();
  const [, navigate] = useLocation();
  const refresh = useRefreshRules();
  const toast = useToast();
  const [platform, setPlatform] = useState(PRESETS[0]?.value ?? OTHER);
  // Names the tenant: another one may have a rule for the same issuer.
  const ownAudience = `${location.origin}/${tenantId}`;
  const [draft, setDraft] = useState<RuleDraft>(() => withPreset(NEW, platform, ownAudience));
  const [isTyped, setTyped] = useState(false);
  const guard = useUnsaved(isTyped);
  const { make, error, isPending } = useCreation(FederationService.method.createFederationRule, {
    onSuccess: async ({ result }) => {
      await refresh();
      toast("Rule added");
      withoutAsking(() => navigate(`/workloads/${result?.ruleId}`));
    },
  });
  return (
    <div className="form-page">
      <PageHeader title="Add a rule" back={{ href: "/workloads", label: "Workloads" }} />
      <RuleForm
        draft={draft}
        change={(changes) => {
          setTyped(true);
          setDraft((was) => ({ ...was, ...changes }));
        }}
        platform={
          <Choice
            label="Platform"
            hint={PRESETS.find(({ value }) => value === platform)?.hint}
            value={platform}
            choices={PLATFORMS}
            onChange={(chosen) => {
              setPlatform(chosen);
              setDraft((was) => withPreset(was, chosen, ownAudience));
            }}
          />
        }
        missing={missingOf(draft)}
        error={error}
        send={{ label: "Add rule", isBusy: isPending }}
        onSend={() => make(requestOf(draft))}
        onCancel={() => withoutAsking(() => navigate("/workloads"))}
      />
      {guard.question}
    </div>
  );
}

const NEW: RuleDraft = {
  ...{ name: "", issuer: "", audience: "", source: "discovered", jwksUrl: "", jwks: "" },
  ...{ claims: [], keyId: "", scopes: [], ttl: String(TTL_SECONDS_MAX) },
};

/** With what a platform's tokens are like in place of what was typed about them. */
function withPreset(draft: RuleDraft, platform: string, ownAudience: string): RuleDraft {
  const preset = PRESETS.find(({ value }) => value === platform);
  if (preset === undefined)
    return { ...draft, issuer: "", audience: ownAudience, source: "discovered", claims: [claimDraft("sub")] };
  const { issuer, audience = ownAudience, source, claims } = preset;
  return {
    ...{ ...draft, issuer, audience, source },
    claims: claims.map(({ claim, value, kind }) => claimDraft(claim, value, kind)),
  };
}
