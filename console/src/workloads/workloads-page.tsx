import "../styles/workloads.css";
import { useQuery } from "@connectrpc/connect-query";
import { Link } from "wouter";
import type { FederationRule } from "../../../clients/typescript/src/gen/latchkey/v1/federation_pb.ts";
import { FederationService } from "../../../clients/typescript/src/gen/latchkey/v1/federation_service_pb.ts";
import { useKeyNames } from "../requests/key-names.ts";
import { Chips } from "../ui/chip.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Plus, Workflow } from "../ui/icons.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { RuleBadge } from "./rule-badge.tsx";

/** The organization's rules for workloads. */
export function WorkloadsPage() {
  const query = useQuery(FederationService.method.listFederationRules, {});
  return (
    <>
      <PageHeader
        title="Workloads"
        text="A job or a pod gets a token for minutes by the token of its own platform: it stores no key."
      >
        <Link className="button button-main" href="/workloads/new">
          <Plus />
          Add a rule
        </Link>
      </PageHeader>
      <Loaded query={query} what="the rules" skeleton={<Skeleton what="the rules" kind="table" />}>
        {({ rules }) =>
          rules.length === 0 ? (
            <EmptyState title="No rule yet" icon={Workflow}>
              <p>
                A rule says which workloads of a platform, such as the jobs of one repository, get tokens for one of
                your keys, and with which scopes.
              </p>
            </EmptyState>
          ) : (
            <Rules rules={rules} />
          )
        }
      </Loaded>
    </>
  );
}

function Rules({ rules }: { rules: readonly FederationRule[] }) {
  const { byId } = useKeyNames(rules.map(({ keyId }) => keyId));
  return (
    <ScrollRegion label="Table of rules">
      <table className="stacked" aria-label="Rules">
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col">Key</th>
            <th scope="col">Scopes</th>
            <th scope="col">Status</th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule) => (
            <tr key={rule.ruleId}>
              <th scope="row" className="rule-name">
                <Link href={`/workloads/${rule.ruleId}`}>
                  <bdi>{rule.name}</bdi>
                </Link>
                <span className="quiet">{rule.issuer}</span>
              </th>
              <td data-label="Key">
                <Link href={`/keys/${rule.keyId}`} title={rule.keyId}>
                  {byId.get(rule.keyId) ?? <code>{rule.keyId}</code>}
                </Link>
              </td>
              <td data-label="Scopes">
                <Chips values={rule.scopes} shown={Math.min(rule.scopes.length, 3)} />
              </td>
              <td data-label="Status">
                <RuleBadge rule={rule} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
