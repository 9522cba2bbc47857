import { checkTenantUrl } from "../addresses/tenant-url.ts";
import { likely } from "../vocabulary/nearest.ts";
import { faultOf, invalid, quotable } from "../vocabulary/request-fault.ts";
import { EVENT_TYPES, type EventType } from "./event-types.ts";
import type { Subscribed } from "./webhook.ts";

const TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);

/** The URL, which must have a public host or one of `allowedHosts`. It is checked again at each attempt. */
export function checkedUrl(url: string, allowedHosts: readonly string[]): string {
  const problem = checkTenantUrl(url, allowedHosts, "WEBHOOK_ALLOWED_HOSTS");
  if (problem !== undefined) throw invalid("url", problem);
  return url;
}

/** The types without duplicates, in alphabetical order; `*` stands for all others. */
export function checkedEvents(events: readonly string[]): Subscribed {
  if (events.length === 0) throw faultOf("required", "events", "is required: types of events, or * for all");
  const unknown = events.findIndex((type) => type !== "*" && !isEventType(type));
  if (unknown !== -1) throw unknownType(`events[${unknown}]`, events[unknown] ?? "");
  return events.includes("*") ? ["*"] : EVENT_TYPES.filter((type) => events.includes(type));
}

/** The type to filter by; empty: all. */
export function checkedType(type: string): string {
  if (type !== "" && !isEventType(type)) throw unknownType("type", type);
  return type;
}

function isEventType(type: string): type is EventType {
  return TYPES.has(type);
}

function unknownType(field: string, type: string) {
  const meant = likely(type, EVENT_TYPES);
  const advice = meant === undefined ? `use one of ${EVENT_TYPES.join(", ")}` : `did you mean "${meant}"?`;
  return faultOf("unknown_event_type", field, `"${quotable(type)}" is not a type of events; ${advice}`);
}
