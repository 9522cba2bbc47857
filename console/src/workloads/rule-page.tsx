import "../styles/key-page.css";
import "../styles/keys.css";
import "../styles/workloads.css";
import { useQuery } from "@connectrpc/connect-query";
import { Link, useParams } from "wouter";
import type { FederationRule } from "../../../clients/typescript/src/gen/latchkey/v1/federation_pb.ts";
import { FederationService } from "../../../clients/typescript/src/gen/latchkey/v1/federation_service_pb.ts";
import { useKeyNames } from "../requests/key-names.ts";
import { Card } from "../ui/card.tsx";
import { Chips } from "../ui/chip.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { CopyId } from "../ui/copy-id.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Time } from "../ui/time.tsx";
import { AssertionCheck } from "./assertion-check.tsx";
import { RuleActions } from "./rule-actions.tsx";
import { RuleBadge } from "./rule-badge.tsx";
import { type ClaimDraft, claimsOf } from "./rule-draft.ts";

/** One rule: what it asks for, what it gives, and a workload's token tried by it. */
export function RulePage() {
  const { ruleId = "" } = useParams();
  const query = useQuery(FederationService.method.getFederationRule, { ruleId });
  return (
    <Loaded query={query} what="the rule" skeleton={<Skeleton what="the rule" kind="card" rows={6} />}>
      {({ result }) => result && <Rule rule={result} />}
    </Loaded>
  );
}

function Rule({ rule }: { rule: FederationRule }) {
  return (
    <>
      <PageHeader title={rule.name} badge={<RuleBadge rule={rule} />} back={{ href: "/workloads", label: "Workloads" }}>
        <RuleActions rule={rule} />
      </PageHeader>
      <div className="key-columns">
        <div className="key-column">
          <Card title="Try a workload's token">
            <AssertionCheck ruleId={rule.ruleId} />
          </Card>
          <Exchange ruleId={rule.ruleId} />
        </div>
        <div className="key-column">
          <Facts rule={rule} />
        </div>
      </div>
    </>
  );
}

function Exchange({ ruleId }: { ruleId: string }) {
  const command = [
    `curl ${location.origin}/oauth/token`,
    "-d grant_type=urn:ietf:params:oauth:grant-type:token-exchange",
    "-d subject_token_type=urn:ietf:params:oauth:token-type:jwt",
    `-d client_id=${ruleId}`,
    '--data-urlencode "subject_token=$WORKLOAD_TOKEN"',
  ].join(" \\\n  ");
  return (
    <Card title="How a workload gets a token">
      <p className="hint">
        With the token of its platform in WORKLOAD_TOKEN, for this rule's audience. Each can be exchanged once.
      </p>
      <pre className="command">{command}</pre>
      <div className="copy">
        <CopyButton text={command} label="Copy the command" />
      </div>
    </Card>
  );
}

function Facts({ rule }: { rule: FederationRule }) {
  const { ruleId, issuer, audience, jwksUrl, claimRules, keyId, scopes, ttlSeconds, createdAt, updatedAt } = rule;
  const { byId } = useKeyNames([keyId]);
  return (
    <>
      <Card title="What it asks for">
        <dl className="facts facts-stacked">
          <dt>Issuer</dt>
          <dd>{issuer}</dd>
          <dt>Audience</dt>
          <dd>{audience}</dd>
          <dt>Key set</dt>
          <dd>{jwksUrl ?? "Pasted"}</dd>
          <dt>Claims</dt>
          <dd>
            <ul className="claims">
              {claimsOf(claimRules).map((claim) => (
                <Claim key={claim.id} claim={claim} />
              ))}
            </ul>
          </dd>
        </dl>
      </Card>
      <Card title="What it gives">
        <dl className="facts facts-stacked">
          <dt>Tokens for the key</dt>
          <dd>
            <Link href={`/keys/${keyId}`} title={keyId}>
              {byId.get(keyId) ?? <code>{keyId}</code>}
            </Link>
          </dd>
          <dt>Scopes</dt>
          <dd>
            <Chips values={scopes} />
          </dd>
          <dt>Valid for</dt>
          <dd>{ttlSeconds} seconds</dd>
        </dl>
      </Card>
      <Card title="About this rule">
        <dl className="facts">
          <dt>Id</dt>
          <dd>
            <CopyId text={ruleId} name="rule id" />
          </dd>
          <dt>Created</dt>
          <dd>
            <Time at={createdAt} />
          </dd>
          <dt>Changed</dt>
          <dd>
            <Time at={updatedAt} />
          </dd>
        </dl>
      </Card>
    </>
  );
}

function Claim({ claim: { claim, kind, value } }: { claim: ClaimDraft }) {
  return (
    <li>
      <code>{claim}</code> {kind === "contains" ? "contains" : "equals"}{" "}
      <code>{kind === "literal" ? value : JSON.stringify(value)}</code>
    </li>
  );
}
