import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { Link } from "wouter";
import type { ApiKey } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import "../styles/keys.css";
import { Pages } from "../ui/pages.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { Empty, Loading, Problem } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { Filters } from "./filters.tsx";
import { useFilters } from "./key-filters.ts";
import { StatusBadge, typeName } from "./status-badge.tsx";

const PER_PAGE = 50;

/** All keys of the tenant, a page at a time: the service searches and sorts, so that it does not matter how many there are. */
export function KeysPage() {
  const { may } = useCaller();
  const filters = useFilters();
  const { data, error, refetch, isPlaceholderData } = useQuery(
    ApiKeyService.method.listApiKeys,
    { ...filters.request, page: filters.page, perPage: PER_PAGE },
    { placeholderData: keepPreviousData },
  );
  return (
    <>
      <div className="heading">
        <h1>Keys</h1>
        {may("api_keys:write") && (
          <Link className="button button-main" href="/keys/new">
            Create key
          </Link>
        )}
      </div>
      <Filters filters={filters} />
      {error !== null && <Problem error={error} retry={refetch} />}
      {data === undefined && error === null && <Loading what="keys" />}
      {data !== undefined && data.keys.length === 0 && <NoKeys isFiltered={filters.isSet} />}
      {data !== undefined && data.keys.length > 0 && (
        <div aria-busy={isPlaceholderData}>
          <KeyTable keys={data.keys} />
        </div>
      )}
      <Pages pagination={data?.pagination} onPage={(page) => filters.set({ page: String(page) })} />
    </>
  );
}

function NoKeys({ isFiltered }: { isFiltered: boolean }) {
  const { may } = useCaller();
  if (isFiltered) return <Empty title="No key matches">Change or clear the filters above.</Empty>;
  return (
    <Empty title="No keys yet">
      <p>
        A secret key lets your backend call the platform. A publishable key is for apps, together with their user's
        token.
      </p>
      {may("api_keys:write") && (
        <Link className="button button-main" href="/keys/new">
          Create your first key
        </Link>
      )}
    </Empty>
  );
}

function KeyTable({ keys }: { keys: readonly ApiKey[] }) {
  return (
    <ScrollRegion label="Keys">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Key</th>
            <th scope="col">Status</th>
            <th scope="col">Scopes</th>
            <th scope="col">Last used</th>
            <th scope="col">Expires</th>
            <th scope="col">Created</th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.keyId}>
              <th scope="row" className="key-name">
                <Link href={`/keys/${key.keyId}`}>{key.name}</Link>
              </th>
              <td>
                <code className="unbroken">{key.keyPrefix}…</code>
                <span className="quiet block">{typeName(key.keyType)}</span>
              </td>
              <td>
                <StatusBadge status={key.status} />
              </td>
              <td>
                <Scopes permissions={key.permissions} />
              </td>
              <td>
                <Time at={key.lastUsedAt} />
              </td>
              <td>
                <Time at={key.expiresAt} />
              </td>
              <td>
                <Time at={key.createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

const SHOWN_SCOPES = 2;

function Scopes({ permissions }: { permissions: readonly string[] }) {
  const hidden = permissions.length - SHOWN_SCOPES;
  return (
    <span title={permissions.join(", ")}>
      {permissions.slice(0, SHOWN_SCOPES).map((scope) => (
        <code key={scope} className="block unbroken">
          {scope}
        </code>
      ))}
      {hidden > 0 && <span className="quiet">and {hidden} more</span>}
    </span>
  );
}
