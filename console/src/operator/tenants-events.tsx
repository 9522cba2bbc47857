import "../styles/audit.css";
import "../styles/disclosure.css";
import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParams } from "wouter";
import { OperatorService } from "../../../clients/typescript/src/gen/latchkey/v1/operator_service_pb.ts";
import { useEventFilters } from "../audit/event-filters.ts";
import { EventList } from "../audit/event-list.tsx";
import { type EventReader, EventReaderProvider } from "../audit/event-reader.tsx";
import { FilterFields } from "../audit/filter-fields.tsx";
import { PausedField } from "../requests/filter-fields.tsx";
import type { User } from "../session/session.ts";
import { EmptyState } from "../ui/empty-state.tsx";

const TENANT = "tenant";
const NONE: ReadonlyMap<string, string> = new Map();

/** Who did what, in all tenants or in one. Names are the tenants' own: events are shown by ids. */
export function TenantsEvents({ user }: { user: User }) {
  const filters = useEventFilters();
  const [search, setSearch] = useSearchParams();
  const tenantId = search.get(TENANT) ?? "";
  const query = useQuery(
    OperatorService.method.listTenantsEvents,
    { ...filters.request, tenantId: tenantId.trim() },
    { placeholderData: keepPreviousData },
  );
  const reader = useMemo(() => readerOf(user), [user]);
  const setTenant = (tenant: string): void =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        after.delete("page");
        if (tenant === "") after.delete(TENANT);
        else after.set(TENANT, tenant);
        return after;
      },
      { replace: true },
    );
  return (
    <EventReaderProvider reader={reader}>
      <div className="operator-filters">
        <PausedField label="Tenant" placeholder="Id" value={tenantId} onChange={setTenant} />
        <FilterFields filters={filters} />
      </div>
      <EventList
        query={query}
        filters={filters}
        none={
          <EmptyState title="No event matches">
            <p>Events are found by the whole id of a tenant, an actor or a target.</p>
          </EmptyState>
        }
      />
    </EventReaderProvider>
  );
}

function readerOf(user: User): EventReader {
  return {
    isSelf: ({ kind, userId, issuer }) => kind === "dashboard_user" && userId === user.id && issuer === user.issuer,
    emailOf: () => undefined,
    keyNameOf: () => undefined,
    keyPath: () => undefined,
    people: NONE,
    keys: NONE,
  };
}
