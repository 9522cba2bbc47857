import { randomBytes } from "node:crypto";
import type { Cluster, Redis, Result } from "ioredis";
import type { KeyRecord } from "../../domain/keys/key.ts";
import type { LimitDecision } from "../../domain/limits/decision.ts";
import { StoreUnavailable } from "../../domain/request-fault.ts";
import { BEGIN_CHANGE_SCRIPT, END_CHANGE_SCRIPT, KEEP_SCRIPT, PRESENT_SCRIPT } from "./copies.lua.ts";
import { type ScriptOptions, testTime } from "./limiter.ts";
import { idOf, namesOf } from "./names.ts";
import { recordFromText, recordToText } from "./record-text.ts";
import { answered, parseDecision } from "./replies.ts";

/**
 * How long a reader may take from finding no copy to making one. Other readers of the key make none meanwhile.
 */
export const LEASE_MS = 2_000;
/** How long a copy lives; never prolonged. With the lease, how long an unreachable Redis may go on serving an old record. */
export const COPY_MS = 10_000;
/** Beyond any change: statements end after 5 s and idle transactions after 10 s, here and at the server. */
const MARK_MS = 60_000;
/** Time for replicas of Redis to follow; below the time limit of a command. */
const WAIT_MS = 250;

/** What looking for a copy found. */
export type Look =
  | { readonly found: true; readonly key: KeyRecord; readonly at: Date; readonly decision: LimitDecision | null }
  /** `lease`: the right to make a copy of what is read from now on; empty if somebody else has it. */
  | { readonly found: false; readonly lease: string };

/** Copies of key records in Redis. Every method may throw `StoreUnavailable`. */
export interface Copies {
  /** The hot path: one round trip. */
  look(secretHash: Uint8Array, spending: boolean): Promise<Look>;
  /** Makes a copy if the lease still holds, and spends as `look` would have. */
  keep(
    secretHash: Uint8Array,
    key: KeyRecord,
    lease: string,
    spending: boolean,
  ): Promise<{ readonly at: Date; readonly decision: LimitDecision | null }>;
  /** Before a change is committed. */
  beginChange(secretHash: Uint8Array, token: string): Promise<void>;
  /** After it is: from here on nobody is served the record as it was. */
  endChange(secretHash: Uint8Array, token: string): Promise<void>;
}

export interface CopiesOptions extends ScriptOptions {
  /** Defaults `LEASE_MS` and `COPY_MS`. All replicas must agree. */
  readonly leaseMs?: number;
  readonly copyMs?: number;
  /**
   * Replicas of Redis that must have followed before a change has ended, default 0. A primary that was cut off and
   * replaced does not know it, but its replicas have left it.
   */
  readonly replicasMin?: number;
}

export function createCopies(redis: Redis | Cluster, options: CopiesOptions = {}): Copies {
  const { prefix, leaseMs = LEASE_MS, copyMs = COPY_MS, replicasMin = 0 } = options;
  redis.defineCommand("latchkeyPresent", { lua: PRESENT_SCRIPT, numberOfKeys: 3 });
  redis.defineCommand("latchkeyKeep", { lua: KEEP_SCRIPT, numberOfKeys: 3 });
  redis.defineCommand("latchkeyBeginChange", { lua: BEGIN_CHANGE_SCRIPT, numberOfKeys: 2 });
  redis.defineCommand("latchkeyEndChange", { lua: END_CHANGE_SCRIPT, numberOfKeys: 2 });

  async function look(secretHash: Uint8Array, spending: boolean): Promise<Look> {
    const { record, budget, guard } = namesOf(idOf(secretHash), prefix);
    const lease = newToken();
    const reply = await answered(
      redis.latchkeyPresent(record, budget, guard, lease, spending ? 1 : 0, leaseMs, ...testTime(options)),
    );
    const [text, now, ...spent] = asArray(reply);
    if (text === "") return { found: false, lease: spent[0] === 1 ? lease : "" };
    const key = recordFromText(String(text));
    if (key === undefined) {
      // Not ours: away with it, and the next look finds nothing.
      await answered(redis.del(record));
      return { found: false, lease: "" };
    }
    return { found: true, key, at: new Date(Number(now)), decision: parseDecision(spent) };
  }

  return {
    look,
    async keep(secretHash, key, lease, spending) {
      const { record, budget, guard } = namesOf(idOf(secretHash), prefix);
      const { requestsPerMinute, requestsPerHour, burstSize } = key.rateLimit;
      const reply = await answered(
        redis.latchkeyKeep(
          ...[record, budget, guard, lease, spending ? 1 : 0, copyMs, recordToText(key)],
          ...[key.revokedAt !== null || key.disabledAt !== null ? 1 : 0, key.expiresAt?.getTime() ?? ""],
          ...[key.type === "publishable" ? 1 : 0, requestsPerMinute, requestsPerHour, burstSize],
          ...testTime(options),
        ),
      );
      const [now, ...spent] = asArray(reply);
      return { at: new Date(Number(now)), decision: parseDecision(spent) };
    },
    async beginChange(secretHash, token) {
      const { record, guard } = namesOf(idOf(secretHash), prefix);
      await answered(redis.latchkeyBeginChange(record, guard, token, MARK_MS));
    },
    async endChange(secretHash, token) {
      const { record, guard } = namesOf(idOf(secretHash), prefix);
      await answered(redis.latchkeyEndChange(record, guard, token));
      if (replicasMin === 0) return;
      const followed = await answered(redis.wait(replicasMin, WAIT_MS));
      if (followed < replicasMin) throw new StoreUnavailable(new Error(`${followed} replicas of Redis followed`));
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

function asArray(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw new Error("A script answered something else than a list.");
  return reply;
}

declare module "ioredis" {
  interface RedisCommander<Context> {
    latchkeyPresent(...args: (string | number)[]): Result<unknown, Context>;
    latchkeyKeep(...args: (string | number)[]): Result<unknown, Context>;
    latchkeyBeginChange(...args: (string | number)[]): Result<unknown, Context>;
    latchkeyEndChange(...args: (string | number)[]): Result<unknown, Context>;
  }
}
