import { useId, useState } from "react";
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

/** A sentence for each event, whose row opens to everything that the event has. */
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
  const [isOpen, setOpen] = useState(false);
  const [sentence, details] = [useId(), useId()];
  const toggle = (): void => setOpen(!isOpen);
  return (
    <li data-open={isOpen || undefined}>
      {/* The button in the row does the same by keyboard. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above */}
      <div className="event" onClick={({ target }) => isOfRow(target) && toggle()}>
        <button
          type="button"
          className="disclosure"
          aria-expanded={isOpen}
          aria-controls={details}
          aria-describedby={sentence}
          onClick={toggle}
        >
          <span className="hidden">Details</span>
        </button>
        <p id={sentence}>
          <Sentence event={event} />
          {event.tenantId && (
            <>
              {" "}
              <code className="quiet small" title="Tenant">
                {event.tenantId}
              </code>
            </>
          )}
        </p>
        <Time at={event.at} />
      </div>
      <div id={details} hidden={!isOpen}>
        {isOpen && <EventDetails event={event} {...filters} />}
      </div>
    </li>
  );
}

/** Not a link or the button in it, and not the end of a selection of text. */
function isOfRow(target: EventTarget): boolean {
  const isControl = target instanceof Element && target.closest("a, button") !== null;
  return !isControl && (getSelection()?.isCollapsed ?? true);
}
