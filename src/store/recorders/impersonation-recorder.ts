import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  AuditTrail,
  ImpersonatedCalls,
  ImpersonatingCaller,
  ImpersonationRecorder,
} from "../../domain/audit/audit-trail.ts";
import { type OriginalCall, placeOf } from "../../domain/audit/origin.ts";
import { untilDeadline } from "../../domain/vocabulary/until-deadline.ts";

const HOUR_MS = 3_600_000;
/** How often counts are stored. */
const FLUSH_MS = 1_000;
/** Maximum number of rows that are stored then, and of those of one tenant: it must not hold up the others'. */
const FLUSHED_MAX = 2_000;
const FLUSHED_OF_TENANT_MAX = 500;
/**
 * Maximum number of pairs of a key and a user that wait to be stored, of a tenant and of all.
 * Beyond it, further users are counted
 * without their names, in one count for each key: reached while PostgreSQL is away, or by one who makes up users.
 */
const WAITING_OF_TENANT_MAX = 10_000;
const WAITING_MAX = 50_000;
/** The user of counts that have no name. */
const UNNAMED = "";
/** How long a process that stops retries to store its counts, and how often. */
const CLOSE_MS = 10_000;
const CLOSE_PAUSE_MS = 250;

interface Count extends Omit<ImpersonatedCalls, "calls"> {
  calls: number;
}

interface Batch {
  readonly batchId: string;
  readonly counts: readonly Count[];
}

export interface ImpersonationRecorderContext {
  readonly audit: Pick<AuditTrail, "addImpersonations">;
  /** Called after each attempt that fails. The failed batch is sent again before any other. */
  readonly onError: (err: unknown) => void;
  /** Called if the process stops while this many calls are not stored. */
  readonly onLost: (calls: number) => void;
}

export interface OwnImpersonations extends ImpersonationRecorder {
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
  /** By tenant, and within it by hour, key and user. */
  const tenants = new Map<string, Map<string, Count>>();
  let waiting = 0;
  let unconfirmed: Batch | undefined;
  let underWay: Promise<void> | undefined;

  function countOf(at: Date, call: OriginalCall, { key, tenantId, onBehalfOf }: ImpersonatingCaller): Count {
    let counts = tenants.get(tenantId);
    if (counts === undefined) {
      counts = new Map();
      tenants.set(tenantId, counts);
    }
    const hour = Math.floor(at.getTime() / HOUR_MS);
    let userId = onBehalfOf ?? UNNAMED;
    let name = `${hour} ${key.keyId} ${userId}`;
    let known = counts.get(name);
    if (known !== undefined) return known;
    if (counts.size >= WAITING_OF_TENANT_MAX || waiting >= WAITING_MAX) {
      userId = UNNAMED;
      name = `${hour} ${key.keyId} `;
      known = counts.get(name);
      if (known !== undefined) return known;
    }
    const { keyId } = key;
    const count = { hour: new Date(hour * HOUR_MS), tenantId, keyId, userId, calls: 0, origin: placeOf(call) };
    counts.set(name, count);
    waiting += 1;
    return count;
  }

  /** Some counts of each tenant. A tenant of which some are left is the last in the next batch. */
  function take(): Count[] {
    const taken: Count[] = [];
    for (const [tenantId, counts] of [...tenants]) {
      const end = Math.min(taken.length + FLUSHED_OF_TENANT_MAX, FLUSHED_MAX);
      if (taken.length === end) break;
      for (const [name, count] of counts) {
        if (taken.length === end) break;
        taken.push(count);
        counts.delete(name);
      }
      tenants.delete(tenantId);
      if (counts.size > 0) tenants.set(tenantId, counts);
    }
    waiting -= taken.length;
    return taken;
  }

  async function storeSome(): Promise<void> {
    if (unconfirmed === undefined) {
      const counts = take();
      if (counts.length === 0) return;
      unconfirmed = { batchId: randomUUID(), counts };
    }
    await ctx.audit.addImpersonations(unconfirmed.batchId, unconfirmed.counts);
    unconfirmed = undefined;
  }

  /** One attempt at a time; a call during one waits for it alone. */
  function attempt(): Promise<void> {
    underWay ??= storeSome().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  const flush = (): Promise<void> => attempt().catch(ctx.onError);

  async function storeAll(signal: AbortSignal): Promise<void> {
    await underWay?.catch(() => {});
    while (!signal.aborted && (waiting > 0 || unconfirmed !== undefined)) {
      await attempt().catch(() => sleep(CLOSE_PAUSE_MS));
    }
  }

  const timer = setInterval(() => void flush(), FLUSH_MS);
  return {
    record(at, call, caller) {
      countOf(at, call, caller).calls += 1;
    },
    flush,
    async close(deadline) {
      clearInterval(timer);
      const signal = AbortSignal.any([deadline, AbortSignal.timeout(CLOSE_MS)]);
      await untilDeadline(storeAll(signal), signal);
      const left = [...tenants.values()].flatMap((counts) => [...counts.values()]);
      const calls = [...left, ...(unconfirmed?.counts ?? [])].reduce((sum, count) => sum + count.calls, 0);
      if (calls > 0) ctx.onLost(calls);
    },
  };
}
