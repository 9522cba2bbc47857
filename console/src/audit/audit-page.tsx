import "../styles/audit.css";
import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { AuditService } from "../../../clients/typescript/src/gen/latchkey/v1/audit_service_pb.ts";
import { Button } from "../ui/button.tsx";
import { Empty, Loading, Problem } from "../ui/states.tsx";
import { type EventFilters, type FilterValues, useEventFilters } from "./event-filters.ts";
import { Events } from "./events.tsx";
import { FilterFields } from "./filter-fields.tsx";

/** Who did what in the organization, newest first. */
export function AuditPage() {
  const filters = useEventFilters();
  const { data, error, refetch, isPlaceholderData } = useQuery(AuditService.method.listAuditEvents, filters.request, {
    placeholderData: keepPreviousData,
  });
  const list = useRef<HTMLElement>(null);
  const movesFocus = useRef(false);
  // The button that was used may be gone, and readers should begin at the top of what it brought.
  useEffect(() => {
    if (!movesFocus.current || isPlaceholderData) return;
    movesFocus.current = false;
    list.current?.focus();
  });
  const goTo = (pageToken: string): void => {
    movesFocus.current = true;
    filters.goTo(pageToken);
  };
  const filterBy = (values: Partial<FilterValues>): void => {
    movesFocus.current = true;
    filters.set(values);
  };
  const clear = (): void => {
    movesFocus.current = true;
    filters.clear();
  };
  return (
    <>
      <div className="heading">
        <h1>Activity</h1>
        {filters.isSet && <Button onClick={clear}>Clear filters</Button>}
      </div>
      <FilterFields filters={filters} />
      <section className="events-section" aria-label="Events" tabIndex={-1} ref={list} aria-busy={isPlaceholderData}>
        {error !== null && <Problem error={error} retry={refetch} />}
        {data === undefined && error === null && <Loading what="events" />}
        {data !== undefined && error === null && data.events.length === 0 && <NoEvent filters={filters} />}
        {data !== undefined && error === null && data.events.length > 0 && (
          <Events events={data.events} values={filters.values} onFilter={filterBy} />
        )}
        <Paging filters={filters} next={error === null ? data?.nextPageToken : undefined} onPage={goTo} />
      </section>
    </>
  );
}

interface PagingProps {
  readonly filters: EventFilters;
  readonly next: string | undefined;
  readonly onPage: (pageToken: string) => void;
}

function Paging({ filters: { pageToken }, next = "", onPage }: PagingProps) {
  if (pageToken === "" && next === "") return null;
  return (
    <nav className="pages" aria-label="Pages">
      <Button disabled={pageToken === ""} onClick={() => onPage("")}>
        Newest
      </Button>
      <Button disabled={next === ""} onClick={() => onPage(next)}>
        Older
      </Button>
    </nav>
  );
}

function NoEvent({ filters: { isSet } }: { filters: EventFilters }) {
  if (isSet) {
    return (
      <Empty title="No event matches">
        <p>
          Events are found by the whole id of an actor or a target, and are kept for as long as the operator has set.
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing has happened yet">
      <p>
        Create a key, invite a person or change a role: each change is here at once, with who made it and from where.
      </p>
    </Empty>
  );
}
