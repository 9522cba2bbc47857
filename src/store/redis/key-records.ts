import { randomBytes } from "node:crypto";
import type { Cluster, Redis, Result } from "ioredis";
import { LRUCache } from "lru-cache";
import type { KeyRecord, SecretHash } from "../../domain/keys/key.ts";
import type { LimitDecision } from "../../domain/limits/decision.ts";
import type { PresentedKey } from "../../domain/ports/admission.ts";
import { StoreUnavailable } from "../../domain/store-unavailable.ts";
import { createBatches } from "../admission/batches.ts";
import { type Breaker, WHOLE } from "./breaker.ts";
import {
  BEGIN_CHANGE_SCRIPT,
  END_CHANGE_SCRIPT,
  KEEP_SCRIPT,
  ORIGIN_SCRIPT,
  PRESENT_SCRIPT,
} from "./key-records.lua.ts";
import { hashTagOf, type Names, namesOf } from "./names.ts";
import { recordFromText, recordToText } from "./record-text.ts";
import { parseDecision, withTimeout } from "./replies.ts";
import { type ScriptOptions, testTime } from "./script-clock.ts";

/**
 * How long a reader may take from finding no copy to making one. Other readers of the key make none meanwhile.
 */
export const LEASE_MS = 2_000;
/**
 * How long a copy is young, and believed by everybody. With the lease, how long an unreachable Redis may go on serving an
 * old record. Also how long a replica is taken to follow the changes after it has asked for them.
 */
export const COPY_MS = 5_000;
/** How long a copy lives, never prolonged, for those who follow the changes of keys. */
const OLD_COPY_MS = 300_000;
/** Beyond any change: statements end after 4 s and idle transactions after 10 s, here and at the server. */
const MARK_MS = 60_000;
/**
 * What records may take that are kept as they were read, estimated: Redis need not send one again while its copy is the
 * same. 50,000 usual keys, fewer with long texts: a publishable key's record may have 168 KB.
 */
const RECORDS_BYTES_MAX = 75_000_000;
/** A record as objects, beside its texts. */
const RECORD_BYTES = 1_000;
/** Time for replicas of Redis to follow; below the time limit of a command. */
const WAIT_MS = 250;

/** Words that the script tells of each key. */
const LOOK_WORDS = 6;

/** What looking for a copy found. */
export type Look =
  | ({ readonly found: true } & PresentedKey)
  /** `lease`: the right to make a copy of what is read from now on; empty if somebody else has it. */
  | { readonly found: false; readonly lease: string };

export interface Kept {
  readonly at: Date;
  readonly decision: LimitDecision | null;
}

/** What was read for a key without a copy. */
interface Found {
  readonly secretHash: SecretHash;
  readonly names: Names;
  readonly key: KeyRecord;
  readonly lease: string;
  readonly spending: boolean;
}

interface Question {
  readonly secretHash: SecretHash;
  readonly names: Names;
  readonly spending: Spending;
  /** The record that was read of the key last. */
  readonly known: Known | undefined;
}

/** As the script has it: 0 nothing, 1 a secret key's request, 2 also a publishable key's if its copy is the known one. */
type Spending = "0" | "1" | "2";

interface Known {
  /** Which copy it was read of. */
  readonly copyId: string;
  readonly key: KeyRecord;
  /** Made once: to put them together costs a request as much as to look the record up. */
  readonly names: Names;
}

const FOLLOWS_NOTHING: Followed = { history: "", sinceMs: 0, untilMs: 0 };
const NOT_OURS: Look = { found: false, lease: "" };

/** Copies of key records in Redis. Every method may throw `StoreUnavailable`. */
export interface Copies {
  /** The hot path: one round trip, shared with whoever else looks in the same turn of the event loop. */
  look(secretHash: SecretHash, spending: boolean, judged?: KeyRecord): Promise<Look>;
  /** The record that this process has of a key, of whatever copy. */
  recall(secretHash: SecretHash): KeyRecord | undefined;
  /** Makes a copy if the lease still holds, and spends as `look` would have; together with others, too. */
  keep(secretHash: SecretHash, key: KeyRecord, lease: string, spending: boolean): Promise<Kept>;
  /** Before a change is committed. */
  beginChange(secretHash: SecretHash, token: string): Promise<void>;
  /** After the commit: from here on nobody is served the old record. */
  endChange(secretHash: SecretHash, token: string): Promise<void>;
  /** The same for a change by somebody else, who may not reach this Redis. Answers which history it was told to. */
  forget(secretHash: SecretHash): Promise<string>;
  /** Which history our database has in Redis, and what time it is there. */
  origin(): Promise<{ readonly history: string; readonly nowMs: number }>;
}

/** What changes of keys this process has seen to it that Redis was told of; times by Redis' clock. */
export interface Followed {
  /** Of the server that was told. */
  readonly history: string;
  /** A copy made from here on has not missed any. */
  readonly sinceMs: number;
  /** From here on there may be some of which this process does not know. */
  readonly untilMs: number;
}

export interface CopiesOptions extends ScriptOptions {
  /** Of the database that the records are read from: what was read from another one is not believed. Default: none. */
  readonly databaseId?: string;
  /** Defaults `LEASE_MS` and `COPY_MS`. All replicas must agree. */
  readonly leaseMs?: number;
  readonly copyMs?: number;
  /** Default `RECORDS_BYTES_MAX`. */
  readonly recordsBytesMax?: number;
  /**
   * Replicas of Redis, `min` of them, must have followed before a change has ended; default: none. A primary that was cut
   * off and replaced does not know it, but its replicas have left it. Asked on a connection of its own: `WAIT` holds up
   * whatever comes behind it.
   */
  readonly followers?: { readonly min: number; readonly redis: Redis };
  /** Runs what requests and locked rows wait for; `Breaker.run`. Default: without a breaker. */
  readonly run?: Breaker["run"];
  /** Asked at each look. Default: this process does not follow the changes, and makes copies that are only ever young. */
  readonly followed?: () => Followed | undefined;
}

export function createCopies(redis: Redis | Cluster, options: CopiesOptions = {}): Copies {
  const { leaseMs = LEASE_MS, copyMs = COPY_MS, followers, run = runAnyway, followed } = options;
  const { recordsBytesMax = RECORDS_BYTES_MAX, databaseId = "" } = options;
  const keptMs = followed === undefined ? copyMs : OLD_COPY_MS;
  redis.defineCommand("latchkeyPresent", { lua: PRESENT_SCRIPT });
  redis.defineCommand("latchkeyKeep", { lua: KEEP_SCRIPT });
  redis.defineCommand("latchkeyBeginChange", { lua: BEGIN_CHANGE_SCRIPT, numberOfKeys: 2 });
  for (const client of [redis, followers?.redis]) {
    client?.defineCommand("latchkeyEndChange", { lua: END_CHANGE_SCRIPT, numberOfKeys: 2 });
  }
  redis.defineCommand("latchkeyOrigin", { lua: ORIGIN_SCRIPT, numberOfKeys: 2 });

  /** Read by `peek`: to remember the order of use would cost as much as the look-up itself. */
  const records = new LRUCache<SecretHash, Known>({ maxSize: recordsBytesMax });
  const lookTogether = createBatches(lookForAll);
  const keepTogether = createBatches(keepAll);

  /** One command's keys must lie in one slot of a cluster. */
  function groupOf(secretHash: SecretHash): string {
    return redis.isCluster ? hashTagOf(secretHash) : "";
  }

  async function lookForAll(questions: readonly Question[]): Promise<Look[]> {
    const lease = newToken();
    const [time = ""] = testTime(options);
    const keys = allNames(questions);
    const { history, sinceMs, untilMs } = followed?.() ?? FOLLOWS_NOTHING;
    const times = [lease, leaseMs, time, copyMs, history, sinceMs, untilMs, databaseId];
    const about = questions.map(({ spending, known }) => spending + (known?.copyId ?? ""));
    // ioredis flattens what it is given, whether it was flat or not.
    const command = () => withTimeout(redis.latchkeyPresent(keys.length, keys, times, about));
    const [told, ...texts] = asArray(await run(tagOf(questions), command));
    const words = String(told).split(" ");
    if (words.length !== 1 + LOOK_WORDS * questions.length) throw new Error("A script told of other keys than asked.");
    const at = new Date(Number(words[0]));
    return questions.map((question, n) => {
      // No slices of these words, nor lists of some: each request would pay for them.
      const start = 1 + LOOK_WORDS * n;
      const found = words[start];
      if (found === "none" || found === "lease") return { found: false, lease: found === "lease" ? lease : "" };
      // Known: the record is the one that this process has, as Redis says at this instant.
      const key =
        found === "known" ? question.known?.key : readRecord(question, words[start + 1] ?? "", String(texts.shift()));
      if (key === undefined) return NOT_OURS;
      const decision = words[start + 2] === "-" ? null : parseDecision(words, start + 2);
      return { found: true, secretHash: question.secretHash, key, at, decision };
    });
  }

  function readRecord({ secretHash, names }: Question, copyId: string, text: string): KeyRecord | undefined {
    const key = recordFromText(text);
    if (key !== undefined) remember(secretHash, { copyId, key, names }, text);
    // Not ours: away with it, and the next look finds nothing.
    else redis.del(names.record).catch(() => {});
    return key;
  }

  function remember(secretHash: SecretHash, known: Known, text: string): void {
    records.set(secretHash, known, { size: RECORD_BYTES + text.length });
  }

  async function keepAll(found: readonly Found[]): Promise<Kept[]> {
    const [time = ""] = testTime(options);
    const keys = allNames(found);
    const texts = found.map(({ key }) => recordToText(key));
    const about = found.flatMap(({ lease, spending, key }, n) => [
      lease,
      spending ? 1 : 0,
      texts[n] ?? "",
      ...fieldsOf(key),
    ]);
    const command = () => withTimeout(redis.latchkeyKeep(keys.length, ...keys, keptMs, time, databaseId, ...about));
    const [now, ...answers] = asArray(await run(tagOf(found), command));
    if (answers.length !== found.length) throw new Error("A script answered for other keys than were asked about.");
    const at = new Date(Number(now));
    // A copy that was not made, since its lease was lost, is never asked for by that name.
    for (const [n, { secretHash, names, key, lease }] of found.entries()) {
      if (lease !== "") remember(secretHash, { copyId: lease, key, names }, texts[n] ?? "");
    }
    return answers.map((answer) => {
      const spent = asArray(answer);
      return { at, decision: spent.length === 0 ? null : parseDecision(spent) };
    });
  }

  async function tellEnd(client: Redis | Cluster, secretHash: SecretHash, token: string): Promise<string> {
    const { record, guard } = namesOf(secretHash);
    return String(await withTimeout(client.latchkeyEndChange(record, guard, token, databaseId)));
  }

  /** `WAIT` counts who has followed what its own connection wrote, so that is told there, too. */
  async function tellFollowers(secretHash: SecretHash, token: string): Promise<void> {
    if (followers === undefined) return;
    await tellEnd(followers.redis, secretHash, token);
    const count = await withTimeout(followers.redis.wait(followers.min, WAIT_MS));
    if (count < followers.min) throw new StoreUnavailable(new Error(`${count} replicas of Redis followed`));
  }

  return {
    recall: (secretHash) => records.peek(secretHash)?.key,
    look(secretHash, spending, judged) {
      const known = records.peek(secretHash);
      const names = known?.names ?? namesOf(secretHash);
      const question = { secretHash, names, spending: spendingOf(spending, known, judged), known };
      return lookTogether(groupOf(secretHash), question);
    },
    keep(secretHash, key, lease, spending) {
      const names = namesOf(secretHash);
      return keepTogether(groupOf(secretHash), { secretHash, names, key, lease, spending });
    },
    async beginChange(secretHash, token) {
      const { record, guard } = namesOf(secretHash);
      // Behind the breaker: the key's row is locked meanwhile.
      await run(hashTagOf(secretHash), () => withTimeout(redis.latchkeyBeginChange(record, guard, token, MARK_MS)));
    },
    async endChange(secretHash, token) {
      // By both connections, which may lead to two servers: no copy is left on either.
      await Promise.all([tellEnd(redis, secretHash, token), tellFollowers(secretHash, token)]);
    },
    forget: (secretHash) => tellEnd(redis, secretHash, ""),
    async origin() {
      const { record, budget } = namesOf("origin");
      // Through the breaker, so that who asks all the time finds out that Redis is away, or back, where nobody calls.
      const command = () => withTimeout(redis.latchkeyOrigin(record, budget, databaseId, ...testTime(options)));
      const [history, nowMs] = asArray(await run(WHOLE, command));
      return { history: String(history), nowMs: Number(nowMs) };
    },
  };
}

/** No other process has this one, and none uses a number twice. */
const PROCESS = randomBytes(12).toString("base64url");
let tokens = 0;

export function newToken(): string {
  tokens += 1;
  return `${PROCESS}.${tokens}`;
}

/** What the scripts must know of a record without understanding it. */
function fieldsOf(key: KeyRecord): (string | number)[] {
  const { requestsPerMinute, requestsPerHour, burstSize } = key.rateLimit;
  const isDead = key.revokedAt !== null || key.disabledAt !== null;
  const state = [isDead ? 1 : 0, key.expiresAt?.getTime() ?? "", key.type === "publishable" ? 1 : 0];
  return [...state, requestsPerMinute, requestsPerHour, burstSize];
}

function runAnyway<T>(_hashTag: string, command: () => Promise<T>): Promise<T> {
  return command();
}

function spendingOf(spending: boolean, known: Known | undefined, judged: KeyRecord | undefined): Spending {
  if (!spending) return "0";
  return judged !== undefined && known?.key === judged ? "2" : "1";
}

/** Of questions that are asked together: all have the same one, or it does not matter. */
function tagOf([first]: readonly { readonly secretHash: SecretHash }[]): string {
  return hashTagOf(first?.secretHash ?? "");
}

/** Of all keys that are asked about together, as the scripts have them. */
function allNames(questions: readonly { readonly names: Names }[]): string[] {
  const all: string[] = [];
  for (const { names } of questions) all.push(names.record, names.budget, names.guard);
  return all;
}

function asArray(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw new Error("A script answered something else than a list.");
  return reply;
}

declare module "ioredis" {
  interface RedisCommander<Context> {
    latchkeyPresent(keyCount: number, ...args: (string | number)[][]): Result<unknown, Context>;
    latchkeyKeep(...args: (string | number)[]): Result<unknown, Context>;
    latchkeyBeginChange(...args: (string | number)[]): Result<unknown, Context>;
    latchkeyEndChange(...args: (string | number)[]): Result<unknown, Context>;
    latchkeyOrigin(...args: (string | number)[]): Result<unknown, Context>;
  }
}
