/** An event of the audit trail, as far as a list of lost ones needs it, or a message. */
export interface RecentEvent {
  readonly eventId: string;
  readonly atMs: number;
  readonly tenantId: string | null;
  readonly action: string;
  readonly targetId: string;
  readonly requestId: string;
}

/** Older ones may be gone because they are not kept for longer. */
const REMEMBERED_MS = 15 * 60_000;
const EVENTS_MAX = 10_000;

/**
 * The audit events that this process saw last. They include changes that are answered before other replicas learn of them, such
 * as new keys.
 */
export class RecentEvents {
  readonly #events = new Map<string, RecentEvent>();

  get ids(): readonly string[] {
    return [...this.#events.keys()];
  }

  add(seen: readonly RecentEvent[], nowMs: number): void {
    for (const event of seen) this.#events.set(event.eventId, event);
    for (const [eventId, { atMs }] of this.#events) {
      if (atMs >= nowMs - REMEMBERED_MS && this.#events.size <= EVENTS_MAX) break;
      this.#events.delete(eventId);
    }
  }

  /** Those of the missing ones that were not made again, by the requests that made them. */
  lost(missing: ReadonlySet<string>, restored: ReadonlySet<string>): readonly RecentEvent[] {
    return [...this.#events.values()].filter(
      ({ eventId, requestId }) => missing.has(eventId) && !restored.has(requestId),
    );
  }
}
