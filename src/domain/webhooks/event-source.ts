import type { Changes } from "../audit/changes.ts";
import type { Actor } from "../audit/event.ts";
import type { Json } from "../vocabulary/json.ts";

/** What the transaction of a change knows of its event: the body is made from it, and from the record as it then is. */
export interface EventSource {
  /** Of the audit event. Absent: no audit event. */
  readonly action?: string;
  readonly target_id?: string;
  readonly changes?: Changes;
  readonly actor?: Actor;
  /** The subject of an event without an audit event. */
  readonly details?: Readonly<Record<string, Json>>;
}
