import "../styles/audit.css";
import "../styles/disclosure.css";
import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { AuditService } from "../../../clients/typescript/src/gen/latchkey/v1/audit_service_pb.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { type EventFilters, useEventFilters } from "./event-filters.ts";
import { EventList } from "./event-list.tsx";
import { EventReaderProvider, useMemberReader } from "./event-reader.tsx";
import { ExportEvents } from "./export-events.tsx";
import { FilterFields } from "./filter-fields.tsx";

/** Who did what in the organization, newest first. */
export function AuditPage() {
  const filters = useEventFilters();
  const query = useQuery(AuditService.method.listAuditEvents, filters.request, {
    placeholderData: keepPreviousData,
  });
  const reader = useMemberReader(query.data?.events);
  return (
    <EventReaderProvider reader={reader}>
      <PageHeader title="Activity">
        {filters.isSet && <Button onClick={filters.clear}>Clear filters</Button>}
        <ExportEvents request={filters.request} />
      </PageHeader>
      <FilterFields filters={filters} />
      <EventList query={query} filters={filters} none={<NoEvent filters={filters} />} />
    </EventReaderProvider>
  );
}

function NoEvent({ filters: { isSet } }: { filters: EventFilters }) {
  if (isSet) {
    return (
      <EmptyState title="No event matches">
        <p>
          Events are found by the whole id of an actor or a target, and are kept for as long as the operator has set.
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="Nothing has happened yet">
      <p>
        Create a key, invite a person or change a role: each change is here at once, with who made it and from where.
      </p>
    </EmptyState>
  );
}
