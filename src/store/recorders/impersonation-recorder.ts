import type {
  AuditTrail,
  CountedImpersonations,
  ImpersonatedCalls,
  ImpersonationRecorder,
} from "../../domain/audit/audit-trail.ts";
import { WaitingImpersonations } from "../../domain/audit/waiting-impersonations.ts";
import { Batches } from "./batches.ts";

/** Maximum number of rows of a batch, and of those of one tenant: it must not hold up the others'. */
const BATCH_MAX = { all: 2_000, ofTenant: 500 } as const;
/** How long a process that stops retries to store its counts. */
const CLOSE_MS = 10_000;

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
  const batches = new Batches<readonly ImpersonatedCalls[]>({
    store: (batchId, counts) => ctx.audit.addImpersonations(batchId, counts),
    onTime: drain,
    onError: ctx.onError,
    closeMs: CLOSE_MS,
  });

  const take = () => (waiting.size > 0 ? waiting.take(BATCH_MAX) : undefined);

  /** A call during an attempt only waits for it. */
  const attempt = (): Promise<void> => batches.underWay ?? batches.attempt(() => batches.send(take));

  async function storeAll(ended: AbortSignal): Promise<void> {
    while (!ended.aborted && (waiting.size > 0 || batches.unconfirmed !== undefined)) await attempt();
  }

  /** Goes on at once with what a batch has left over: keys of many users would else wait for room. What arrives meanwhile can wait. */
  async function drain(): Promise<void> {
    let left = waiting.size;
    do {
      await attempt();
      left -= BATCH_MAX.ofTenant;
    } while (left > 0 && waiting.size > 0);
  }

  return {
    hasRoom: (at, caller) => waiting.hasRoom(at, caller),
    record: (at, call, caller) => waiting.add(at, call, caller),
    addCounted: (counted) => waiting.addCounted(counted),
    flush: () => attempt().catch(ctx.onError),
    async close(deadline) {
      await batches.close(storeAll, deadline);
      const left = waiting.take({ all: waiting.size, ofTenant: waiting.size });
      const calls = [...left, ...(batches.unconfirmed ?? [])].reduce((sum, count) => sum + count.calls, 0);
      if (calls > 0) ctx.onLost(calls);
    },
  };
}
