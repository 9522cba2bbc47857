import type { KeyStore } from "../../domain/keys/key-store.ts";
import type { UsageRecorder } from "../../domain/usage/usage-store.ts";
import type { HourUses, KeyUses, UseFailure } from "../../domain/usage/uses.ts";
import { Batches } from "./batches.ts";

/**
 * Maximum number of keys that are stored once a second: 2,000 rows are 16 ms of the database's work. With more keys in use, each
 * is stored less often, those first that have waited longest.
 */
const FLUSHED_KEYS_MAX = 2_000;
/** How long a process that stops retries to store its counts. */
const CLOSE_MS = 10_000;

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
  /** Batches that were stored while a read may have been under way. */
  let stored: { readonly uses: ReadonlyMap<string, KeyUses>; readonly untilMs: number }[] = [];
  let counted = 0;
  let storedInAll = 0;
  let next: Promise<void> | undefined;
  /** The keys that the next attempt stores. */
  let asked = new Set<string>();
  const batches = new Batches<ReadonlyMap<string, KeyUses>>({
    async store(batchId, uses) {
      await ctx.keys.addUsage(batchId, uses);
      storedInAll += verificationsIn([...uses.values()].flatMap(({ hours }) => hours));
      const nowMs = performance.now();
      stored = stored.filter(({ untilMs }) => untilMs > nowMs);
      stored.push({ uses, untilMs: nowMs + READ_MS });
    },
    async onTime() {
      // An attempt under way reports its result to its own caller.
      if (batches.underWay !== undefined) return;
      await batches.attempt(() => storeSome(counts.keys(), FLUSHED_KEYS_MAX, BATCH_ROWS_MAX));
      ctx.onStored();
    },
    onError: ctx.onError,
    closeMs: CLOSE_MS,
  });

  /** Moves keys into a batch, at most `most` of those that are given, and no further one after `rowsMax` rows. */
  function take(keyIds: Iterable<string>, most: number, rowsMax: number): ReadonlyMap<string, KeyUses> | undefined {
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
    return taken.size > 0 ? taken : undefined;
  }

  /** The counts of a key in an hour, which are new, or not the first of its counts. */
  function countOf(keyId: string, hour: number, first: Count | undefined): Count {
    for (let known = first; known !== undefined; known = known.next) if (known.hour === hour) return known;
    const count = { hour, successful: 0, failed: undefined, lastUsedMs: NEVER, next: first };
    counts.set(keyId, count);
    return count;
  }

  async function storeSome(keyIds: Iterable<string>, most: number, rowsMax = Number.POSITIVE_INFINITY): Promise<void> {
    await batches.send();
    await batches.send(() => take(keyIds, most, rowsMax));
  }

  /**
   * All callers during an attempt share the next one. With an attempt for each caller, a queue would grow while attempts
   * take longer to fail than callers to arrive.
   */
  function store(keyIds: Iterable<string>): Promise<void> {
    for (const keyId of keyIds) asked.add(keyId);
    if (batches.underWay === undefined) return batches.attempt(storeAsked);
    next ??= batches.attempt(() => {
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
    return batches.attempt(async () => {
      let rows = 0;
      for (const count of counts.values()) rows += hoursOf(count).length;
      let left = Math.ceil(counts.size / BATCH_KEYS_MAX) + Math.floor(rows / BATCH_ROWS_MAX);
      for (; left > 0; left--) await storeSome(counts.keys(), BATCH_KEYS_MAX, BATCH_ROWS_MAX);
      await batches.send();
    });
  }

  function loss(): UsageLoss {
    const unsent = [...counts.values()].flatMap(hoursOf);
    const sent = [...(batches.unconfirmed?.values() ?? [])].flatMap(({ hours }) => hours);
    return { neverSent: verificationsIn(unsent), unconfirmed: verificationsIn(sent) };
  }

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
        batches.unconfirmed?.get(keyId)?.lastUsedAt.getTime(),
        ...stored.map(({ uses }) => uses.get(keyId)?.lastUsedAt.getTime()),
      ];
      const lastMs = Math.max(...times.map((time) => time ?? NEVER));
      return lastMs === NEVER ? undefined : new Date(lastMs);
    },
    store,
    async close(deadline) {
      const failure = await batches.close(storeAll, deadline);
      if (failure !== undefined) ctx.onLost(loss(), failure.err);
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
