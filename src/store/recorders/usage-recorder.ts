import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { KeyStore } from "../../domain/keys/key-store.ts";
import type { UsageRecorder } from "../../domain/usage/usage-store.ts";
import type { HourUses, KeyUses, UseFailure } from "../../domain/usage/uses.ts";
import { untilDeadline } from "../../domain/vocabulary/until-deadline.ts";

/** How often counts are stored. */
const FLUSH_MS = 1_000;
/**
 * Maximum number of keys that are stored then: 2,000 rows are 16 ms of the database's work. With more keys in use, each
 * is stored less often, those first that have waited longest.
 */
const FLUSHED_KEYS_MAX = 2_000;
/** How long a process that stops retries to store its counts, and how often. */
const CLOSE_MS = 10_000;
const CLOSE_PAUSE_MS = 250;

/**
 * Maximum number of keys of a batch, and after how many rows it takes no further key. A batch that the database cannot
 * store within its time limit would be retried for ever. After an outage of hours a key has many rows: one for each
 * hour and outcome.
 */
const BATCH_KEYS_MAX = 10_000;
const BATCH_ROWS_MAX = 20_000;
/** How long a read of keys may take. Until then it may lack a use that was stored meanwhile. */
const READ_MS = 5_000;

const HOUR_MS = 3_600_000;

/**
 * The counts of a key in one hour that are not in a batch yet. Times are numbers: with a `Date` for each use, every garbage
 * collection would find one live object for each key, and copy it.
 */
interface Count {
  /** Hours since 1970. */
  readonly hour: number;
  successful: number;
  /** Undefined: none failed, as with most keys. */
  failed: Map<UseFailure, number> | undefined;
  lastUsedMs: number;
  /** The counts of the key in another hour. Mostly undefined: counts are stored once a second. */
  readonly next: Count | undefined;
}

interface Batch {
  readonly batchId: string;
  readonly uses: ReadonlyMap<string, KeyUses>;
}

export interface UsageRecorderContext {
  readonly keys: Pick<KeyStore, "addUsage">;
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

/** The counts of this process, in verifications. */
export interface UsageProgress {
  /** Not known to be stored. */
  readonly waiting: number;
  readonly stored: number;
}

export interface OwnUsage extends Pick<UsageRecorder, "count" | "lastUsed"> {
  readonly progress: UsageProgress;
  /** Stores what this process has counted of some keys so far. May throw `StoreUnavailable`. */
  store(keyIds: Iterable<string>): Promise<void>;
  /**
   * Tries for 10 s, but not beyond `deadline`, to store the remaining counts; then reports what is lost. Never rejects.
   */
  close(deadline: AbortSignal): Promise<void>;
}

/**
 * Counts in this process, and adds to the stored counters once a second and for each read of them.
 *
 * An outage of the store loses nothing: counts are kept, and batches are idempotent, so that they can be sent again. A
 * killed process loses what it had not stored: the counts of a second, or of longer if more than `FLUSHED_KEYS_MAX` keys
 * are in use.
 */
export function createUsageRecorder(ctx: UsageRecorderContext): OwnUsage {
  let counts = new Map<string, Count>();
  /** A batch that was sent and is not known to be stored. It is sent again unchanged. */
  let unconfirmed: Batch | undefined;
  /** Batches that were stored while a read may have been under way. */
  let stored: { readonly batch: Batch; readonly untilMs: number }[] = [];
  let counted = 0;
  let storedInAll = 0;
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  /** The keys that the next attempt stores. */
  let asked = new Set<string>();

  /** Moves keys into a batch, at most `most` of those that are given, and no further one after `rowsMax` rows. */
  function take(keyIds: Iterable<string>, most: number, rowsMax: number): ReadonlyMap<string, KeyUses> {
    const taken = new Map<string, KeyUses>();
    let rows = 0;
    for (const keyId of keyIds) {
      if (taken.size === most || rows >= rowsMax) break;
      const count = counts.get(keyId);
      if (count === undefined) continue;
      const hours = hoursOf(count);
      rows += hours.length;
      taken.set(keyId, { hours, lastUsedAt: new Date(lastUsedMsOf(count)) });
    }
    // A map that is emptied again and again allocates new tables for its few entries.
    if (taken.size === counts.size) counts = new Map();
    else for (const keyId of taken.keys()) counts.delete(keyId);
    return taken;
  }

  /** The counts of a key in an hour, which are new, or not the first of its counts. */
  function countOf(keyId: string, hour: number, first: Count | undefined): Count {
    for (let known = first; known !== undefined; known = known.next) if (known.hour === hour) return known;
    const count = { hour, successful: 0, failed: undefined, lastUsedMs: NEVER, next: first };
    counts.set(keyId, count);
    return count;
  }

  async function send(batch: Batch): Promise<void> {
    unconfirmed = batch;
    await ctx.keys.addUsage(batch.batchId, batch.uses);
    unconfirmed = undefined;
    storedInAll += verificationsIn([...batch.uses.values()].flatMap(({ hours }) => hours));
    const nowMs = performance.now();
    stored = stored.filter(({ untilMs }) => untilMs > nowMs);
    stored.push({ batch, untilMs: nowMs + READ_MS });
  }

  async function sendUnconfirmed(): Promise<void> {
    if (unconfirmed !== undefined) await send(unconfirmed);
  }

  async function storeSome(keyIds: Iterable<string>, most: number, rowsMax = Number.POSITIVE_INFINITY): Promise<void> {
    await sendUnconfirmed();
    const uses = take(keyIds, most, rowsMax);
    if (uses.size > 0) await send({ batchId: randomUUID(), uses });
  }

  /** One attempt at a time: the order of batches is that of their attempts. */
  function attempt(work: () => Promise<void>): Promise<void> {
    const begun = underWay === undefined ? work() : underWay.catch(() => {}).then(work);
    underWay = begun;
    const end = (): void => {
      if (underWay === begun) underWay = undefined;
    };
    begun.then(end, end);
    return begun;
  }

  /**
   * All callers during an attempt share the next one. With an attempt for each caller, a queue would grow while attempts
   * take longer to fail than callers to arrive.
   */
  function store(keyIds: Iterable<string>): Promise<void> {
    for (const keyId of keyIds) asked.add(keyId);
    if (underWay === undefined) return attempt(storeAsked);
    next ??= attempt(() => {
      next = undefined;
      return storeAsked();
    });
    return next;
  }

  function storeAsked(): Promise<void> {
    const wanted = asked;
    asked = new Set();
    return storeSome(wanted, wanted.size);
  }

  /** Stores the counts up to now and no later ones: under load there are always more. */
  function storeAll(): Promise<void> {
    return attempt(async () => {
      let rows = 0;
      for (const count of counts.values()) rows += hoursOf(count).length;
      let batches = Math.ceil(counts.size / BATCH_KEYS_MAX) + Math.floor(rows / BATCH_ROWS_MAX);
      for (; batches > 0; batches--) await storeSome(counts.keys(), BATCH_KEYS_MAX, BATCH_ROWS_MAX);
      await sendUnconfirmed();
    });
  }

  function loss(): UsageLoss {
    const unsent = [...counts.values()].flatMap(hoursOf);
    const sent = [...(unconfirmed?.uses.values() ?? [])].flatMap(({ hours }) => hours);
    return { neverSent: verificationsIn(unsent), unconfirmed: verificationsIn(sent) };
  }

  const timer = setInterval(() => {
    // An attempt under way reports its result to its own caller.
    if (underWay !== undefined) return;
    attempt(() => storeSome(counts.keys(), FLUSHED_KEYS_MAX, BATCH_ROWS_MAX)).then(ctx.onStored, ctx.onError);
  }, FLUSH_MS);
  return {
    get progress() {
      return { waiting: counted - storedInAll, stored: storedInAll };
    },
    count(keyId, { failure, at, times = 1 }) {
      counted += times;
      const atMs = at.getTime();
      const hour = Math.floor(atMs / HOUR_MS);
      const first = counts.get(keyId);
      const count = first !== undefined && first.hour === hour ? first : countOf(keyId, hour, first);
      if (atMs > count.lastUsedMs) count.lastUsedMs = atMs;
      if (failure === undefined) {
        count.successful += times;
        return count.successful === times;
      }
      count.failed ??= new Map();
      count.failed.set(failure, (count.failed.get(failure) ?? 0) + times);
      return false;
    },
    lastUsed(keyId) {
      const times = [
        lastUsedMsOf(counts.get(keyId)),
        unconfirmed?.uses.get(keyId)?.lastUsedAt.getTime(),
        ...stored.map(({ batch }) => batch.uses.get(keyId)?.lastUsedAt.getTime()),
      ];
      const lastMs = Math.max(...times.map((time) => time ?? NEVER));
      return lastMs === NEVER ? undefined : new Date(lastMs);
    },
    store,
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
            storeAll().then(
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

const NEVER = Number.NEGATIVE_INFINITY;

function lastUsedMsOf(first: Count | undefined): number {
  let lastMs = NEVER;
  for (let count = first; count !== undefined; count = count.next) lastMs = Math.max(lastMs, count.lastUsedMs);
  return lastMs;
}

/** All counts of a key. */
function hoursOf(first: Count): HourUses[] {
  const hours: HourUses[] = [];
  for (let count: Count | undefined = first; count !== undefined; count = count.next) {
    const hour = new Date(count.hour * HOUR_MS);
    if (count.successful > 0) hours.push({ hour, failure: null, count: count.successful });
    for (const [failure, failed] of count.failed ?? []) hours.push({ hour, failure, count: failed });
  }
  return hours;
}

function verificationsIn(hours: readonly HourUses[]): number {
  return hours.reduce((verifications, { count }) => verifications + count, 0);
}
