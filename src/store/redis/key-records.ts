import { randomBytes } from "node:crypto";
import type { Cluster, Redis, Result } from "ioredis";
import { LRUCache } from "lru-cache";
import type { KeyRecord, SecretHash } from "../../domain/keys/key.ts";
import type { LimitDecision } from "../../domain/limits/decision.ts";
import type { PresentedKey } from "../../domain/ports/admission.ts";
import { StoreUnavailable } from "../../domain/store-unavailable.ts";
import { createBatches } from "../admission/batches.ts";
import { ALL_NODES, type Breaker } from "./breaker.ts";
import {
  BEGIN_CHANGE_SCRIPT,
  END_CHANGE_SCRIPT,
  LOOK_UP_SCRIPT,
  SERVER_STATE_SCRIPT,
  STORE_SCRIPT,
} from "./key-records.lua.ts";
import { recordFromText, recordToText } from "./record-text.ts";
import { hashTagOf, type Names, namesOf } from "./redis-names.ts";
import { parseDecision, withTimeout } from "./redis-replies.ts";
import { type ScriptOptions, testTime } from "./script-clock.ts";

/**
 * How long a reader may take from finding no entry to storing one. Meanwhile no other reader stores one for the key.
 */
export const LEASE_MS = 2_000;
/**
 * How long an entry is fresh: every replica may use it. With the lease, this bounds how long an unreachable Redis can
 * serve an old record. A replica that has read the change log also counts as following it for this long.
 */
export const FRESH_MS = 5_000;
/** How long an entry lives, never extended, where replicas follow the change log. */
const ENTRY_MS_MAX = 300_000;
/** Longer than any change: statements end after 4 s and idle transactions after 10 s, here and at the server. */
const MARK_MS = 60_000;
/**
 * Estimated size of the records that this process keeps in memory, so that Redis need not send a record again while its
 * entry is the same. 50,000 usual keys, fewer with long texts: the record of a publishable key may have 168 KB.
 */
const RECORDS_BYTES_MAX = 75_000_000;
/** Estimated size of a record's objects, without its texts. */
const RECORD_BYTES = 1_000;
/** How long replicas of Redis may take to replicate a change; below the time limit of a command. */
const WAIT_MS = 250;

/** Words that the script returns for each key. */
const WORDS_PER_KEY = 6;

/** The result of looking up a key in Redis. */
export type LookUp =
  | ({ readonly found: true } & PresentedKey)
  /**
   * `lease`: the right to store what the caller reads from the database from now on; empty if another reader has it.
   */
  | { readonly found: false; readonly lease: string };

export interface Stored {
  readonly at: Date;
  readonly decision: LimitDecision | null;
}

/** A record that was read from the database because Redis had no entry. */
interface StoreInput {
  readonly secretHash: SecretHash;
  readonly names: Names;
  readonly key: KeyRecord;
  readonly lease: string;
  readonly spending: boolean;
}

interface LookUpInput {
  readonly secretHash: SecretHash;
  readonly names: Names;
  readonly spending: Spending;
  /** The record of the key that this process saw last. */
  readonly known: KnownRecord | undefined;
}

/**
 * The script's argument: 0 spends nothing, 1 spends a request of a secret key, 2 also one of a publishable key if the
 * entry in Redis is that of the known record.
 */
type Spending = "0" | "1" | "2";

interface KnownRecord {
  /** The entry from which it was read. */
  readonly entryId: string;
  readonly key: KeyRecord;
  /** Built once: building them costs a request as much as looking up the record. */
  readonly names: Names;
}

const FOLLOWS_NOTHING: Followed = { history: "", sinceMs: 0, untilMs: 0 };
const NOT_USABLE: LookUp = { found: false, lease: "" };

/** Key records cached in Redis. Every method may throw `StoreUnavailable`. */
export interface CachedKeyRecords {
  /** The hot path: one round trip, shared with the other look-ups of the same tick of the event loop. */
  lookUp(secretHash: SecretHash, spending: boolean, checkedWith?: KeyRecord): Promise<LookUp>;
  /** The record of a key that is in the memory of this process, from whichever entry it was read. */
  recall(secretHash: SecretHash): KeyRecord | undefined;
  /** Stores a record if the lease still holds, and spends as `lookUp` would have. Batched, too. */
  store(secretHash: SecretHash, key: KeyRecord, lease: string, spending: boolean): Promise<Stored>;
  /** Called before a change is committed: removes the entry, and lets none be stored. */
  beginChange(secretHash: SecretHash, token: string): Promise<void>;
  /** Called after the commit. Once it resolves, Redis returns the old record to no replica. */
  endChange(secretHash: SecretHash, token: string): Promise<void>;
  /** Does the same for a change made by a process that may not reach this Redis. Returns the history of the server. */
  invalidate(secretHash: SecretHash): Promise<string>;
  /** Returns the history that our database has on the server, and the server's time. */
  serverState(): Promise<{ readonly history: string; readonly nowMs: number }>;
}

/** The part of the change log that this process has applied to Redis. Times are by Redis' clock. */
export interface Followed {
  /** The history of the server to which the changes were applied. */
  readonly history: string;
  /** Entries stored since then have missed no change. */
  readonly sinceMs: number;
  /** From then on there may be changes that this process has not read. */
  readonly untilMs: number;
}

export interface CachedKeyRecordsOptions extends ScriptOptions {
  /**
   * Identifies the database of the records: entries that were read from another database are not used. Default: none.
   */
  readonly databaseId?: string;
  /** Defaults `LEASE_MS` and `FRESH_MS`. All replicas must agree. */
  readonly leaseMs?: number;
  readonly freshMs?: number;
  /** Default `RECORDS_BYTES_MAX`. */
  readonly recordsBytesMax?: number;
  /**
   * So many replicas of Redis, `min`, must have replicated a change before it ends. Default: none. A primary that was
   * cut off and replaced does not know it, but its replicas have left it. This has a connection of its own, because
   * `WAIT` blocks the commands behind it.
   */
  readonly redisReplicas?: { readonly min: number; readonly redis: Redis };
  /** Runs the commands that requests and locked rows wait for; `Breaker.run`. Default: no circuit breaker. */
  readonly run?: Breaker["run"];
  /**
   * Called at each look-up. Default: this process does not follow the change log, and its entries expire when not
   * fresh.
   */
  readonly followed?: () => Followed | undefined;
}

export function createCachedKeyRecords(
  redis: Redis | Cluster,
  options: CachedKeyRecordsOptions = {},
): CachedKeyRecords {
  const { leaseMs = LEASE_MS, freshMs = FRESH_MS, redisReplicas, run = runDirectly, followed } = options;
  const { recordsBytesMax = RECORDS_BYTES_MAX, databaseId = "" } = options;
  const entryMs = followed === undefined ? freshMs : ENTRY_MS_MAX;
  redis.defineCommand("latchkeyLookUp", { lua: LOOK_UP_SCRIPT });
  redis.defineCommand("latchkeyStore", { lua: STORE_SCRIPT });
  redis.defineCommand("latchkeyBeginChange", { lua: BEGIN_CHANGE_SCRIPT, numberOfKeys: 2 });
  for (const client of [redis, redisReplicas?.redis]) {
    client?.defineCommand("latchkeyEndChange", { lua: END_CHANGE_SCRIPT, numberOfKeys: 2 });
  }
  redis.defineCommand("latchkeyServerState", { lua: SERVER_STATE_SCRIPT, numberOfKeys: 2 });

  /** Read by `peek`: tracking the order of use would cost as much as the look-up itself. */
  const records = new LRUCache<SecretHash, KnownRecord>({ maxSize: recordsBytesMax });
  const lookUpInBatch = createBatches(lookUpAll);
  const storeInBatch = createBatches(storeAll);

  /** All keys of one command must be in one slot of a cluster. */
  function groupOf(secretHash: SecretHash): string {
    return redis.isCluster ? hashTagOf(secretHash) : "";
  }

  async function lookUpAll(inputs: readonly LookUpInput[]): Promise<LookUp[]> {
    const lease = newToken();
    const [time = ""] = testTime(options);
    const keys = allNames(inputs);
    const { history, sinceMs, untilMs } = followed?.() ?? FOLLOWS_NOTHING;
    const times = [lease, leaseMs, time, freshMs, history, sinceMs, untilMs, databaseId];
    const perKey = inputs.map(({ spending, known }) => spending + (known?.entryId ?? ""));
    // ioredis flattens its arguments, whether they were flat or not.
    const command = () => withTimeout(redis.latchkeyLookUp(keys.length, keys, times, perKey));
    const [result, ...texts] = asArray(await run(tagOf(inputs), command));
    const words = String(result).split(" ");
    if (words.length !== 1 + WORDS_PER_KEY * inputs.length)
      throw new Error("A script returned a wrong number of keys.");
    const at = new Date(Number(words[0]));
    return inputs.map((input, n) => {
      // No slices of these words: each request would pay for them.
      const start = 1 + WORDS_PER_KEY * n;
      const found = words[start];
      if (found === "none" || found === "lease") return { found: false, lease: found === "lease" ? lease : "" };
      // Known: Redis says at this instant that the record in the memory of this process is the current one.
      const key =
        found === "known" ? input.known?.key : readRecord(input, words[start + 1] ?? "", String(texts.shift()));
      if (key === undefined) return NOT_USABLE;
      const decision = words[start + 2] === "-" ? null : parseDecision(words, start + 2);
      return { found: true, secretHash: input.secretHash, key, at, decision };
    });
  }

  function readRecord({ secretHash, names }: LookUpInput, entryId: string, text: string): KeyRecord | undefined {
    const key = recordFromText(text);
    if (key !== undefined) remember(secretHash, { entryId, key, names }, text);
    // Not a record of ours: remove it, so that the next look-up finds nothing.
    else redis.del(names.record).catch(() => {});
    return key;
  }

  function remember(secretHash: SecretHash, known: KnownRecord, text: string): void {
    records.set(secretHash, known, { size: RECORD_BYTES + text.length });
  }

  async function storeAll(inputs: readonly StoreInput[]): Promise<Stored[]> {
    const [time = ""] = testTime(options);
    const keys = allNames(inputs);
    const texts = inputs.map(({ key }) => recordToText(key));
    const perKey = inputs.flatMap(({ lease, spending, key }, n) => [
      lease,
      spending ? 1 : 0,
      texts[n] ?? "",
      ...fieldsOf(key),
    ]);
    const command = () => withTimeout(redis.latchkeyStore(keys.length, ...keys, entryMs, time, databaseId, ...perKey));
    const [now, ...decisions] = asArray(await run(tagOf(inputs), command));
    if (decisions.length !== inputs.length) throw new Error("A script returned a wrong number of decisions.");
    const at = new Date(Number(now));
    // If the lease was lost, nothing was stored, and no entry ever has this id.
    for (const [n, { secretHash, names, key, lease }] of inputs.entries()) {
      if (lease !== "") remember(secretHash, { entryId: lease, key, names }, texts[n] ?? "");
    }
    return decisions.map((decision) => {
      const spent = asArray(decision);
      return { at, decision: spent.length === 0 ? null : parseDecision(spent) };
    });
  }

  async function removeEntry(client: Redis | Cluster, secretHash: SecretHash, token: string): Promise<string> {
    const { record, guard } = namesOf(secretHash);
    return String(await withTimeout(client.latchkeyEndChange(record, guard, token, databaseId)));
  }

  /**
   * `WAIT` counts the replicas that have the writes of its own connection, so the entry is removed on that one, too.
   */
  async function removeOnReplicas(secretHash: SecretHash, token: string): Promise<void> {
    if (redisReplicas === undefined) return;
    await removeEntry(redisReplicas.redis, secretHash, token);
    const count = await withTimeout(redisReplicas.redis.wait(redisReplicas.min, WAIT_MS));
    if (count < redisReplicas.min) throw new StoreUnavailable(new Error(`${count} replicas of Redis followed`));
  }

  return {
    recall: (secretHash) => records.peek(secretHash)?.key,
    lookUp(secretHash, spending, checkedWith) {
      const known = records.peek(secretHash);
      const names = known?.names ?? namesOf(secretHash);
      const input = { secretHash, names, spending: spendingOf(spending, known, checkedWith), known };
      return lookUpInBatch(groupOf(secretHash), input);
    },
    store(secretHash, key, lease, spending) {
      const names = namesOf(secretHash);
      return storeInBatch(groupOf(secretHash), { secretHash, names, key, lease, spending });
    },
    async beginChange(secretHash, token) {
      const { record, guard } = namesOf(secretHash);
      // Behind the circuit breaker, because the key's row is locked meanwhile.
      await run(hashTagOf(secretHash), () => withTimeout(redis.latchkeyBeginChange(record, guard, token, MARK_MS)));
    },
    async endChange(secretHash, token) {
      // On both connections, which may lead to two servers: no entry may remain on either.
      await Promise.all([removeEntry(redis, secretHash, token), removeOnReplicas(secretHash, token)]);
    },
    invalidate: (secretHash) => removeEntry(redis, secretHash, ""),
    async serverState() {
      const { record, budget } = namesOf("origin");
      // Through the circuit breaker, so that the regular calls detect an outage and its end even without requests.
      const command = () => withTimeout(redis.latchkeyServerState(record, budget, databaseId, ...testTime(options)));
      const [history, nowMs] = asArray(await run(ALL_NODES, command));
      return { history: String(history), nowMs: Number(nowMs) };
    },
  };
}

/** Unique to this process. With a number that is used once, it makes a unique token. */
const PROCESS_ID = randomBytes(12).toString("base64url");
let tokens = 0;

export function newToken(): string {
  tokens += 1;
  return `${PROCESS_ID}.${tokens}`;
}

/** The parts of a record that the scripts need as fields, since they do not parse the record. */
function fieldsOf(key: KeyRecord): (string | number)[] {
  const { requestsPerMinute, requestsPerHour, burstSize } = key.rateLimit;
  const isDead = key.revokedAt !== null || key.disabledAt !== null;
  const state = [isDead ? 1 : 0, key.expiresAt?.getTime() ?? "", key.type === "publishable" ? 1 : 0];
  return [...state, requestsPerMinute, requestsPerHour, burstSize];
}

function runDirectly<T>(_hashTag: string, command: () => Promise<T>): Promise<T> {
  return command();
}

function spendingOf(spending: boolean, known: KnownRecord | undefined, checkedWith: KeyRecord | undefined): Spending {
  if (!spending) return "0";
  return checkedWith !== undefined && known?.key === checkedWith ? "2" : "1";
}

/** The hash tag of a batch: in a cluster all its keys have the same one, elsewhere it does not matter. */
function tagOf([first]: readonly { readonly secretHash: SecretHash }[]): string {
  return hashTagOf(first?.secretHash ?? "");
}

/** The names of all keys of a batch, in the order in which the scripts expect them. */
function allNames(inputs: readonly { readonly names: Names }[]): string[] {
  const all: string[] = [];
  for (const { names } of inputs) all.push(names.record, names.budget, names.guard);
  return all;
}

function asArray(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw new Error("A script returned something else than a list.");
  return reply;
}

declare module "ioredis" {
  interface RedisCommander<Context> {
    latchkeyLookUp(keyCount: number, ...args: (string | number)[][]): Result<unknown, Context>;
    latchkeyStore(...args: (string | number)[]): Result<unknown, Context>;
    latchkeyBeginChange(...args: (string | number)[]): Result<unknown, Context>;
    latchkeyEndChange(...args: (string | number)[]): Result<unknown, Context>;
    latchkeyServerState(...args: (string | number)[]): Result<unknown, Context>;
  }
}
