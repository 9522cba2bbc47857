import { LRUCache } from "lru-cache";
import type { KeyStore } from "../../domain/keys/key-store.ts";
import type { CachedRecord } from "../../domain/lost-changes/restricted-record.ts";
import { type Awaitable, after } from "../../domain/vocabulary/awaitable.ts";
import type { Subject } from "./invalidation.ts";

/** Estimated size of the cache: 100,000 usual keys, fewer if their texts are long. */
const BYTES_MAX = 150_000_000;
/** Estimated size of a record's objects, without its texts. */
const RECORD_BYTES = 1_000;

type KeyReads = Pick<KeyStore, "findKeyBySecretHash">;

/** Takes away from a record what the database lacks of promised changes, by subject. */
export type Restrictions = ReadonlyMap<Subject, Restrict>;

/** The kind of subject that a record describes. */
export type RecordKind = "key" | "tenant" | "user" | "token" | "rule" | "formats";

type Restrict = (record: CachedRecord) => CachedRecord;

/** Reads a record from the database. Undefined: no record; its absence is not cached. */
export type ReadRecord<Value extends object> = (subject: Subject) => Awaitable<Value | undefined>;

export interface CacheUsage {
  readonly records: number;
  readonly bytes: number;
  readonly found: number;
  readonly read: number;
}

export interface RecordCache {
  /** Returns the record of a subject: the cached one, or what `read` returns, which it then caches. */
  find<Value extends object>(kind: RecordKind, subject: Subject, read: ReadRecord<Value>): Awaitable<Value | undefined>;
  /** Returns reads of keys that use the cache, and that fill it with what `keys` returns. */
  inFrontOf(keys: KeyReads): KeyReads;
  /** Drops a record, and lets no read under way fill it. */
  drop(subject: Subject): void;
  /** Drops it, and reads it each time until the mark is taken away. A subject may have several. */
  mark(subject: Subject, markId: string): void;
  unmark(subject: Subject, markId: string): void;
  /** Whether the subject has a mark. */
  isMarked(subject: Subject): boolean;
  /** Drops all records, and lets no read under way fill any. Marks stay. */
  clear(): void;
  /** From now on these records are read each time, and restricted. Undefined: none is. */
  restrict(restrictions: Restrictions | undefined): void;
  /** The size of the cache, and how many look-ups found their record in it, or read the database, since the start. */
  readonly usage: CacheUsage;
}

/**
 * Caches the records of keys and of tenants in this process. A changed record is invalidated before the change is acknowledged:
 * by the change itself in a sole process (`sole-process.ts`), else by the reader of PostgreSQL's list (`replica.ts`).
 *
 * A read fills the cache only if nothing has dropped or marked the record since the read began. So a request that arrives
 * after a change was acknowledged finds no entry, or one that was read after the commit.
 *
 * An entry is found only by its kind: callers name the hash of a key that they made, and could name a tenant's subject.
 *
 * Unknown hashes are not cached: guesses would evict real keys, and a key that is created later must be found. When the
 * cache is full, it evicts the least recently used entry. Expiry is checked at each request and needs no invalidation.
 */
export function createRecordCache(options: RecordCacheOptions = {}): RecordCache {
  const { bytesMax = BYTES_MAX, recordsMax, mayUse = () => true } = options;
  const bounds = { maxSize: bytesMax, ...(recordsMax !== undefined && { max: recordsMax }) };
  const cached = new LRUCache<Subject, Cached>(bounds);
  /** For each subject, the read under way that may fill the cache. */
  const fills = new Map<Subject, symbol>();
  /** The ids of each subject's marks. */
  const marks = new Map<Subject, Set<string>>();
  let restrictions: Restrictions | undefined;
  let lookups = 0;
  let found = 0;

  async function readAndCache<Value extends object>(
    kind: RecordKind,
    subject: Subject,
    read: ReadRecord<Value>,
  ): Promise<Value | undefined> {
    const fill = Symbol();
    fills.set(subject, fill);
    try {
      const record = await read(subject);
      if (record !== undefined && fills.get(subject) === fill) {
        const size = RECORD_BYTES + JSON.stringify(record).length;
        cached.set(subject, { kind, record: frozen(record), usedSecond: 0 }, { size });
      }
      return lessLost(record, restrictions?.get(subject));
    } finally {
      if (fills.get(subject) === fill) fills.delete(subject);
    }
  }

  /**
   * Reads a record without what the database lacks, as far as that is known at the begin or at the end: a read may begin before a lost
   * change is known, and end after it was made again.
   */
  function readLessLost<Value extends object>(
    subject: Subject,
    read: ReadRecord<Value>,
    before: Restrict | undefined,
  ): Awaitable<Value | undefined> {
    return after(read(subject), (record) => lessLost(record, restrictions?.get(subject) ?? before));
  }

  function drop(subject: Subject): void {
    fills.delete(subject);
    cached.delete(subject);
  }

  // Without an await between `mayUse` and the look-up: in between the right could end, and begin again (ADR 22).
  function find<Value extends object>(
    kind: RecordKind,
    subject: Subject,
    read: ReadRecord<Value>,
  ): Awaitable<Value | undefined> {
    lookups += 1;
    const restrict = restrictions?.get(subject);
    if (restrict !== undefined || !mayUse()) return readLessLost(subject, read, restrict);
    const hit = cached.peek(subject);
    if (hit !== undefined && hit.kind === kind) {
      found += 1;
      const second = Math.floor(Date.now() / 1_000);
      if (hit.usedSecond !== second) {
        hit.usedSecond = second;
        // Makes it the last one that was used.
        cached.get(subject);
      }
      return hit.record as Value;
    }
    return marks.has(subject) || fills.has(subject)
      ? readLessLost(subject, read, undefined)
      : readAndCache(kind, subject, read);
  }

  return {
    find,
    inFrontOf(keys) {
      const read = (secretHash: Subject) => keys.findKeyBySecretHash(secretHash);
      return { findKeyBySecretHash: (secretHash) => find("key", secretHash, read) };
    },
    drop,
    mark(subject, markId) {
      drop(subject);
      const ids = marks.get(subject);
      if (ids === undefined) marks.set(subject, new Set([markId]));
      else ids.add(markId);
    },
    unmark(subject, markId) {
      const ids = marks.get(subject);
      ids?.delete(markId);
      if (ids?.size === 0) marks.delete(subject);
    },
    isMarked: (subject) => marks.has(subject),
    clear() {
      fills.clear();
      cached.clear();
    },
    restrict(latest) {
      restrictions = latest;
      for (const subject of latest?.keys() ?? []) drop(subject);
    },
    get usage() {
      return { records: cached.size, bytes: cached.calculatedSize, found, read: lookups - found };
    },
  };
}

/** A record with the second of its last use: to reorder the cache at each use costs more than the look-up. */
interface Cached {
  readonly kind: RecordKind;
  readonly record: object;
  usedSecond: number;
}

export interface RecordCacheOptions {
  readonly bytesMax?: number;
  /** Default: as many as fit. */
  readonly recordsMax?: number;
  /** Whether the cache may be used now; asked at each look-up. Default: always. */
  readonly mayUse?: () => boolean;
}

/** A restriction keeps the kind of the record, and changes none of another kind. */
function lessLost<Value extends object>(record: Value | undefined, restrict: Restrict | undefined): Value | undefined {
  if (record === undefined || restrict === undefined) return record;
  return restrict(record as unknown as CachedRecord) as unknown as Value;
}

/** Many requests share one record, so none of them may change it. */
function frozen<Value extends object>(record: Value): Value {
  for (const part of Object.values(record)) {
    if (typeof part === "object" && part !== null) frozen(part);
  }
  return Object.freeze(record);
}
