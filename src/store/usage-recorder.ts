import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { KeyUsage, KeyUses } from "../domain/keys/key.ts";
import type { KeyStore } from "../domain/ports/keys.ts";
import type { UsageRecorder } from "../domain/ports/usage.ts";
import { untilDeadline } from "../domain/until-deadline.ts";

/** How often counts are stored, and how many ms of counts a killed process loses at most. */
const FLUSH_MS = 1_000;
/**
 * The same where other processes read the counters: with the time of the statement, they see a count within a second.
 */
const SHARED_FLUSH_MS = 500;
/** How long a process that stops retries to store its counts, and how often. */
const CLOSE_MS = 10_000;
const CLOSE_PAUSE_MS = 250;

/** Most keys of a batch. A batch that the database cannot store within its time limit would be retried for ever. */
const BATCH_KEYS_MAX = 10_000;

/**
 * The counts of a key that are not in a batch yet. The time is a number: with a `Date` for each use, every garbage
 * collection would find one live object for each key, and copy it.
 */
type Count = { -readonly [Name in keyof KeyUsage]: number } & { lastUsedMs: number };

export interface UsageRecorderContext {
  readonly keys: Pick<KeyStore, "addUsage">;
  /** True if no other process reads the counters. Readers in this process flush first, so they miss nothing. */
  readonly isSoleProcess: boolean;
  /** Called after each regular attempt that fails. The failed batch is sent again before any other. */
  readonly onError: (err: unknown) => void;
  /** Called after each regular attempt that succeeds. */
  readonly onStored: () => void;
  /** Called if the process stops while verifications are not stored; see `UsageLoss`. */
  readonly onLost: (loss: UsageLoss, err: unknown) => void;
}

/** Verifications that, as far as this process knows, are not stored. */
export interface UsageLoss {
  readonly neverSent: number;
  /** Sent, but the database did not reply: they may have been stored. */
  readonly unconfirmed: number;
}

export interface ClosableRecorder extends UsageRecorder {
  /**
   * Tries for 10 s, but not beyond `deadline`, to store the remaining counts; then reports what is lost. Never rejects.
   */
  close(deadline: AbortSignal): Promise<void>;
}

/**
 * Counts in this process, and adds to the stored counters once or twice a second and before each read of them.
 *
 * An outage of the store loses nothing: counts are kept, and batches are idempotent, so that they can be sent again. A
 * killed process loses the counts since its last flush, those of a second at most.
 */
export function createUsageRecorder(ctx: UsageRecorderContext): ClosableRecorder {
  let counts = new Map<string, Count>();
  /** A batch that was sent and is not known to be stored. It is sent again unchanged. */
  let unconfirmed: { batchId: string; counts: ReadonlyMap<string, KeyUses> } | undefined;
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  /** Stores the counts up to now and no later ones: under load there are always more, and a reader waits for this. */
  async function store(): Promise<void> {
    await sendUnconfirmed();
    for (let batches = Math.ceil(counts.size / BATCH_KEYS_MAX); batches > 0; batches--) {
      unconfirmed = { batchId: randomUUID(), counts: takeOldest() };
      await sendUnconfirmed();
    }
  }

  /** Removes the keys that were counted first from the counts, and returns them. */
  function takeOldest(): ReadonlyMap<string, KeyUses> {
    const oldest = new Map<string, KeyUses>();
    for (const [keyId, count] of counts) {
      if (oldest.size === BATCH_KEYS_MAX) break;
      const { total, successful, failed, lastUsedMs } = count;
      oldest.set(keyId, { total, successful, failed, lastUsedAt: new Date(lastUsedMs) });
    }
    if (oldest.size === counts.size) counts = new Map();
    else for (const keyId of oldest.keys()) counts.delete(keyId);
    return oldest;
  }

  async function sendUnconfirmed(): Promise<void> {
    if (unconfirmed === undefined) return;
    await ctx.keys.addUsage(unconfirmed.batchId, unconfirmed.counts);
    unconfirmed = undefined;
  }

  /**
   * Runs one attempt at a time. All callers during an attempt share the next one, because the current one may lack
   * later counts. With an attempt for each caller, a queue would grow while attempts take longer to fail than callers
   * to arrive.
   */
  function flush(): Promise<void> {
    if (next !== undefined) return next;
    if (underWay === undefined) return begin();
    next = underWay
      .catch(() => {})
      .then(() => {
        next = undefined;
        return begin();
      });
    return next;
  }

  function begin(): Promise<void> {
    underWay = store().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  function loss(): UsageLoss {
    return { neverSent: verificationsIn(counts), unconfirmed: unconfirmed ? verificationsIn(unconfirmed.counts) : 0 };
  }

  const timer = setInterval(
    () => {
      // An attempt under way reports its result to its own caller.
      if (underWay === undefined) flush().then(ctx.onStored, ctx.onError);
    },
    ctx.isSoleProcess ? FLUSH_MS : SHARED_FLUSH_MS,
  );
  return {
    count(keyId, { successful, at }) {
      const count = counts.get(keyId);
      if (count === undefined) {
        const lastUsedMs = at.getTime();
        counts.set(keyId, { total: 1, successful: successful ? 1 : 0, failed: successful ? 0 : 1, lastUsedMs });
        return;
      }
      count.total += 1;
      if (successful) count.successful += 1;
      else count.failed += 1;
      count.lastUsedMs = Math.max(count.lastUsedMs, at.getTime());
    },
    flush,
    async close(deadline) {
      clearInterval(timer);
      let isLate = false;
      const late = setTimeout(() => {
        isLate = true;
      }, CLOSE_MS);
      try {
        let problem: unknown;
        for (;;) {
          const outcome = await untilDeadline(
            flush().then(
              () => "stored",
              (err: unknown) => {
                problem = err;
              },
            ),
            deadline,
          );
          if (outcome === "stored") return;
          if (isLate || deadline.aborted) return ctx.onLost(loss(), problem);
          await untilDeadline(sleep(CLOSE_PAUSE_MS), deadline);
        }
      } finally {
        clearTimeout(late);
      }
    },
  };
}

function verificationsIn(counts: ReadonlyMap<string, KeyUsage>): number {
  let verifications = 0;
  for (const { total } of counts.values()) verifications += total;
  return verifications;
}
