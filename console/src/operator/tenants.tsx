import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import type { Tenant } from "../../../clients/typescript/src/gen/latchkey/v1/operator_service_pb.ts";
import { OperatorService } from "../../../clients/typescript/src/gen/latchkey/v1/operator_service_pb.ts";
import { Badge } from "../ui/badge.tsx";
import { CopyId } from "../ui/copy-id.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Stale } from "../ui/loaded.tsx";
import { pageOf, withPage } from "../ui/page-parameter.ts";
import { Pages } from "../ui/pages.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Problem } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { TenantActions } from "./tenant-actions.tsx";

const PER_PAGE = 50;
const SUSPENDED = "suspended";

/** All tenants, and what can be done with each. */
export function Tenants() {
  const [search, setSearch] = useSearchParams();
  const onlySuspended = search.has(SUSPENDED);
  const { data, error, refetch, isPlaceholderData } = useQuery(
    OperatorService.method.listTenants,
    { page: pageOf(search, "page"), perPage: PER_PAGE, onlySuspended },
    { placeholderData: keepPreviousData },
  );
  const choose = (isOnly: boolean): void => setSearch({ tab: "tenants", ...(isOnly && { [SUSPENDED]: "1" }) });
  return (
    <>
      <label className="operator-check">
        <input type="checkbox" checked={onlySuspended} onChange={({ target }) => choose(target.checked)} />
        Only suspended tenants
      </label>
      {data === undefined && error === null && <Skeleton what="the tenants" kind="table" />}
      {data === undefined && error !== null && <Problem error={error} retry={refetch} />}
      {data !== undefined && <Stale error={error} retry={refetch} />}
      {data?.tenants.length === 0 && (
        <EmptyState title="No tenant">
          <p>Tenants are here once they have an organization, a key or a suspension.</p>
        </EmptyState>
      )}
      {data !== undefined && data.tenants.length > 0 && (
        <div aria-busy={isPlaceholderData}>
          <TenantTable tenants={data.tenants} />
        </div>
      )}
      <Pages pagination={data?.pagination} onPage={(page) => setSearch(withPage(search, "page", page))} />
    </>
  );
}

function TenantTable({ tenants }: { tenants: readonly Tenant[] }) {
  return (
    <ScrollRegion label="Tenants">
      <table>
        <thead>
          <tr>
            <th scope="col">Tenant</th>
            <th scope="col">Id</th>
            <th scope="col" className="number">
              Keys
            </th>
            <th scope="col">State</th>
            <th scope="col">
              <span className="hidden">What you can do</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tenants.map(({ tenantId, name, keyCount, suspendedAt, suspensionReason }) => (
            <tr key={tenantId}>
              <th scope="row" className="operator-name">
                {name === "" ? <span className="quiet">No organization</span> : <bdi>{name}</bdi>}
              </th>
              <td>
                <CopyId text={tenantId} name={`id of ${name || tenantId}`} />
              </td>
              <td className="number">{keyCount.toLocaleString("en")}</td>
              <td>
                {suspendedAt === undefined ? (
                  <Badge tone="good">Active</Badge>
                ) : (
                  <>
                    <Badge tone="bad">Suspended</Badge> <Time at={suspendedAt} />
                    {suspensionReason !== "" && <span className="quiet">: {suspensionReason}</span>}
                  </>
                )}
              </td>
              <td className="row-actions">
                <TenantActions tenantId={tenantId} name={name} isSuspended={suspendedAt !== undefined} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
