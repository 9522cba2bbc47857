import { type ReactNode, useEffect, useRef } from "react";
import type { AuditEvent } from "../../../clients/typescript/src/gen/latchkey/v1/audit_pb.ts";
import { TokenPages } from "../requests/token-pages.tsx";
import { type QueryLike, Stale } from "../ui/loaded.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Problem } from "../ui/states.tsx";
import type { EventFilters, FilterValues } from "./event-filters.ts";
import { Events } from "./events.tsx";

interface EventListProps {
  readonly query: QueryLike<{ readonly events: AuditEvent[]; readonly nextPageToken: string }> & {
    readonly isPlaceholderData: boolean;
  };
  readonly filters: EventFilters;
  /** Instead of an empty list. */
  readonly none: ReactNode;
}

/** A page of events, and the way to the others. A page stays when it cannot be loaded again. */
export function EventList({ query, filters, none }: EventListProps) {
  const { data, error, refetch, isPlaceholderData } = query;
  const list = useRef<HTMLElement>(null);
  const movesFocus = useRef(false);
  // The button that was used may be gone, and readers should begin at the top of what it brought.
  useEffect(() => {
    if (!movesFocus.current || isPlaceholderData) return;
    movesFocus.current = false;
    list.current?.focus();
    list.current?.scrollIntoView({ block: "nearest" });
  });
  const goTo = (pageToken: string): void => {
    movesFocus.current = true;
    filters.goTo(pageToken);
  };
  const filterBy = (values: Partial<FilterValues>): void => {
    movesFocus.current = true;
    filters.set(values);
  };
  // The events are those of other filters.
  const isRefused = error !== null && (data === undefined || isPlaceholderData);
  const events = isRefused ? undefined : data?.events;
  return (
    <section className="events-section" aria-label="Events" tabIndex={-1} ref={list} aria-busy={isPlaceholderData}>
      {isRefused && <Problem error={error} retry={refetch} />}
      {data === undefined && error === null && <Skeleton what="events" kind="table" rows={8} />}
      {events !== undefined && <Stale error={error} retry={refetch} />}
      {events?.length === 0 && none}
      {events !== undefined && events.length > 0 && (
        <Events events={events} values={filters.values} onFilter={filterBy} />
      )}
      <TokenPages pageToken={filters.pageToken} next={isRefused ? undefined : data?.nextPageToken} onPage={goTo} />
    </section>
  );
}
