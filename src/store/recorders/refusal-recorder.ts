import { repeat } from "../../concurrency/repeat.ts";
import type { AuditTrail, RefusalRecorder, RefusedCall } from "../../domain/audit/audit-trail.ts";
import { actorId } from "../../domain/audit/event.ts";
import type { Clock } from "../../domain/vocabulary/clock.ts";

/** Maximum number of events of single refusals that this process tries to store for an actor within a minute. */
const STORED_MAX = 10;
const MINUTE_MS = 60_000;
/** How often counts whose minute is over are looked for. */
const FLUSH_MS = 5_000;
/** Actors whose refusals are counted at once. With more, all counts are stored before their minute is over. */
const ACTORS_MAX = 10_000;

/** The refusals of one actor since some instant. */
interface Refused {
  readonly sinceMs: number;
  readonly last: Omit<RefusedCall, "count">;
  /** Calls that this process has tried to store one by one. */
  tried: number;
  /** Calls that have no event of their own. */
  withoutEvent: number;
}

export interface RefusalRecorderContext {
  readonly audit: Pick<AuditTrail, "insertRefusal" | "insertRefusals">;
  readonly clock: Clock;
  /** Called after each attempt that fails. Its calls become part of the actor's next count. */
  readonly onError: (err: unknown) => void;
}

export interface OwnRefusals extends RefusalRecorder {
  /** Stores the counts whose minute is over, or all of them. Never rejects. A timer calls it, too. */
  flush(all?: boolean): Promise<void>;
  /** Tries once to store all that is left. Never rejects. */
  close(): Promise<void>;
}

/**
 * Stores refused calls in the audit trail in the background: a caller who is refused a thousand times a second must not
 * cause as many writes. The first ten of an actor within a minute have an event each, the others one together when the
 * minute is over. A killed process loses the counts of a minute.
 */
export function createRefusalRecorder({ audit, clock, onError }: RefusalRecorderContext): OwnRefusals {
  const actors = new Map<string, Refused>();
  const underWay = new Set<Promise<void>>();

  function refusedOf(call: Omit<RefusedCall, "count">): Refused {
    const { kind, issuer } = call.actor;
    const key = JSON.stringify([call.tenantId, kind, issuer, actorId(call.actor)]);
    const known = actors.get(key);
    if (known !== undefined) return known;
    const refused = { sinceMs: clock().getTime(), last: call, tried: 0, withoutEvent: 0 };
    actors.set(key, refused);
    return refused;
  }

  async function store(call: Omit<RefusedCall, "count">, refused: Refused): Promise<void> {
    try {
      if (!(await audit.insertRefusal({ ...call, count: 1 }))) refused.withoutEvent += 1;
    } catch (err) {
      refused.withoutEvent += 1;
      onError(err);
    }
  }

  async function storeCount({ last, withoutEvent }: Refused): Promise<void> {
    if (withoutEvent === 0) return;
    try {
      await audit.insertRefusals({ ...last, rpc: "", count: withoutEvent });
    } catch (err) {
      refusedOf(last).withoutEvent += withoutEvent;
      onError(err);
    }
  }

  async function settled(): Promise<void> {
    await Promise.all(underWay);
  }

  async function flush(all = false): Promise<void> {
    await settled();
    const endMs = clock().getTime() - MINUTE_MS;
    const due = [...actors].filter(([, { sinceMs }]) => all || sinceMs <= endMs);
    for (const [key] of due) actors.delete(key);
    for (const [, refused] of due) await storeCount(refused);
  }

  const timer = repeat(() => flush(actors.size >= ACTORS_MAX), { pollMs: FLUSH_MS, isDelayed: true });
  return {
    record(call) {
      const refused = refusedOf(call);
      if (refused.tried >= STORED_MAX) {
        refused.withoutEvent += 1;
        return;
      }
      refused.tried += 1;
      const storing = store(call, refused);
      underWay.add(storing);
      storing.then(() => underWay.delete(storing));
    },
    settled,
    flush,
    async close() {
      await timer.stop();
      await flush(true);
    },
  };
}
