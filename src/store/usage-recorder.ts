import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { KeyUsage, KeyUses } from "../domain/keys/key.ts";
import type { KeyStore } from "../domain/ports/keys.ts";
import type { UsageRecorder } from "../domain/ports/usage.ts";
import { before } from "../domain/time-up.ts";

/** How often counts are stored: what a killed process loses at most. */
const FLUSH_MS = 1_000;
/** Where others read the counts: short enough that they see one within a second, the statement's own time included. */
const SHARED_FLUSH_MS = 500;
/** How long a process that ends goes on trying to store what it has counted, and how often. */
const CLOSE_MS = 10_000;
const CLOSE_PAUSE_MS = 250;

/** Most keys of a batch: one that the database cannot store within its time limit would be sent again for ever. */
const BATCH_KEYS_MAX = 10_000;

/**
 * Counted into, until it is part of a batch that is sent. The time is a number: of a `Date` for each use, the collector
 * would find one for each key at every turn, and copy it.
 */
type Count = { -readonly [Name in keyof KeyUsage]: number } & { lastUsedMs: number };

export interface UsageRecorderContext {
  readonly keys: Pick<KeyStore, "addUsage">;
  /** Whether nobody else reads the counters. A reader in this process is told of what is not stored yet, too. */
  readonly isSoleProcess: boolean;
  /** Each time that it is tried, unasked, and fails or does not. What failed is sent again before anything else. */
  readonly onError: (err: unknown) => void;
  readonly onStored: () => void;
  /** The process ends, and so many verifications are in no counter; see `UsageLoss`. */
  readonly onLost: (loss: UsageLoss, err: unknown) => void;
}

/** Verifications that are in no counter, as far as this process knows. */
export interface UsageLoss {
  readonly neverSent: number;
  /** Sent without an answer, so that they may have been stored. */
  readonly unconfirmed: number;
}

export interface ClosableRecorder extends UsageRecorder {
  /** Tries for 10 s, and until `timeUp` at most, to store what is left; then tells what is lost. Never rejects. */
  close(timeUp: AbortSignal): Promise<void>;
}

/**
 * Counts in this process and adds to the stored counters once or twice a second, and before a reader asks.
 *
 * A store that is away loses nothing: the counts are kept, in batches that count once however often they are sent. A
 * process killed without a signal loses what it counted since its last flush, a second's worth at most.
 */
export function createUsageRecorder(ctx: UsageRecorderContext): ClosableRecorder {
  let counts = new Map<string, Count>();
  /** Sent, but not known to be stored: to be sent again as it is. */
  let unconfirmed: { batchId: string; counts: ReadonlyMap<string, KeyUses> } | undefined;
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  /** What is counted by now, and no more: under load there is always more, and a reader waits for this. */
  async function store(): Promise<void> {
    await sendUnconfirmed();
    for (let batches = Math.ceil(counts.size / BATCH_KEYS_MAX); batches > 0; batches--) {
      unconfirmed = { batchId: randomUUID(), counts: takeOldest() };
      await sendUnconfirmed();
    }
  }

  /** Out of the counts, in the order in which they began. */
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
   * One attempt at a time, and one more for all who ask meanwhile: the one under way may lack what was counted since it
   * began. A queue of attempts would grow for as long as each takes longer to fail than the next takes to come.
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
      // Whoever began the one under way is told how it ends.
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
    async close(timeUp) {
      clearInterval(timer);
      let isLate = false;
      const late = setTimeout(() => {
        isLate = true;
      }, CLOSE_MS);
      try {
        let problem: unknown;
        for (;;) {
          const outcome = await before(
            timeUp,
            flush().then(
              () => "stored",
              (err: unknown) => {
                problem = err;
              },
            ),
          );
          if (outcome === "stored") return;
          if (isLate || timeUp.aborted) return ctx.onLost(loss(), problem);
          await before(timeUp, sleep(CLOSE_PAUSE_MS));
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
