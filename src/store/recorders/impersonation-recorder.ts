import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  AuditTrail,
  CountedImpersonations,
  ImpersonatedCalls,
  ImpersonationRecorder,
} from "../../domain/audit/audit-trail.ts";
import { WaitingImpersonations } from "../../domain/audit/waiting-impersonations.ts";
import { untilDeadline } from "../../domain/vocabulary/until-deadline.ts";

/** How often counts are stored. */
const FLUSH_MS = 1_000;
/** Maximum number of rows of a batch, and of those of one tenant: it must not hold up the others'. */
const BATCH_MAX = { all: 2_000, ofTenant: 500 } as const;
/** How long a process that stops retries to store its counts, and how often. */
const CLOSE_MS = 10_000;
const CLOSE_PAUSE_MS = 250;

interface Batch {
  readonly batchId: string;
  readonly counts: readonly ImpersonatedCalls[];
}

export interface ImpersonationRecorderContext {
  readonly audit: Pick<AuditTrail, "addImpersonations">;
  /** Called after each attempt that fails. The failed batch is sent again before any other. */
  readonly onError: (err: unknown) => void;
  /** Called if the process stops while this many calls are not stored. */
  readonly onLost: (calls: number) => void;
}

export interface OwnImpersonations extends ImpersonationRecorder, CountedImpersonations {
  /** Stores some of what was counted. Never rejects. A timer calls it, too. */
  flush(): Promise<void>;
  /** Tries for 10 s, but not beyond `deadline`, to store all that is left. Never rejects. */
  close(deadline: AbortSignal): Promise<void>;
}

/**
 * Counts the calls of keys for users in this process, and adds them to the hours in the database once a second: no request
 * waits for it. Batches are idempotent, so that they can be sent again, and an outage of the database loses nothing. A
 * killed process loses the counts of a second.
 */
export function createImpersonationRecorder(ctx: ImpersonationRecorderContext): OwnImpersonations {
  const waiting = new WaitingImpersonations();
  let unconfirmed: Batch | undefined;
  let underWay: Promise<void> | undefined;
  let isDraining = false;

  async function storeSome(): Promise<void> {
    if (unconfirmed === undefined) {
      const counts = waiting.take(BATCH_MAX);
      if (counts.length === 0) return;
      unconfirmed = { batchId: randomUUID(), counts };
    }
    await ctx.audit.addImpersonations(unconfirmed.batchId, unconfirmed.counts);
    unconfirmed = undefined;
  }

  /** One attempt at a time; a call during one only waits for it. */
  function attempt(): Promise<void> {
    underWay ??= storeSome().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  const flush = (): Promise<void> => attempt().catch(ctx.onError);

  async function storeAll(signal: AbortSignal): Promise<void> {
    await underWay?.catch(() => {});
    while (!signal.aborted && (waiting.size > 0 || unconfirmed !== undefined)) {
      await attempt().catch(() => sleep(CLOSE_PAUSE_MS));
    }
  }

  /** Goes on at once with what a batch has left over: keys of many users would else wait for room. What arrives meanwhile can wait. */
  async function drain(): Promise<void> {
    let left = waiting.size;
    do {
      await attempt();
      left -= BATCH_MAX.ofTenant;
    } while (left > 0 && waiting.size > 0);
  }

  async function onTime(): Promise<void> {
    if (isDraining) return;
    isDraining = true;
    await drain().catch(ctx.onError);
    isDraining = false;
  }

  const timer = setInterval(() => void onTime(), FLUSH_MS);
  return {
    hasRoom: (at, caller) => waiting.hasRoom(at, caller),
    record: (at, call, caller) => waiting.add(at, call, caller),
    addCounted: (counted) => waiting.addCounted(counted),
    flush,
    async close(deadline) {
      clearInterval(timer);
      const signal = AbortSignal.any([deadline, AbortSignal.timeout(CLOSE_MS)]);
      await untilDeadline(storeAll(signal), signal);
      const left = waiting.take({ all: waiting.size, ofTenant: waiting.size });
      const calls = [...left, ...(unconfirmed?.counts ?? [])].reduce((sum, count) => sum + count.calls, 0);
      if (calls > 0) ctx.onLost(calls);
    },
  };
}
