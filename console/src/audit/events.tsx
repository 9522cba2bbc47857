import { useId } from "react";
import type { AuditEvent } from "../../../clients/typescript/src/gen/latchkey/v1/audit_pb.ts";
import { Time } from "../ui/time.tsx";
import { EventDetails } from "./event-details.tsx";
import type { FilterValues } from "./event-filters.ts";
import { Sentence } from "./sentence.tsx";

interface EventsProps {
  readonly events: readonly AuditEvent[];
  readonly values: FilterValues;
  readonly onFilter: (values: Partial<FilterValues>) => void;
}

/** A sentence for each event, which opens to everything that the event has. */
export function Events({ events, ...filters }: EventsProps) {
  return (
    <ol className="events">
      {events.map((event) => (
        <Event key={event.eventId} event={event} {...filters} />
      ))}
    </ol>
  );
}

function Event({ event, ...filters }: { event: AuditEvent } & Omit<EventsProps, "events">) {
  const sentence = useId();
  return (
    <li>
      <div className="event">
        <p id={sentence}>
          <Sentence event={event} />
        </p>
        <Time at={event.at} />
      </div>
      <details>
        <summary aria-describedby={sentence}>Details</summary>
        <EventDetails event={event} {...filters} />
      </details>
    </li>
  );
}
