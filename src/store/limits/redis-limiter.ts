import type { Cluster, Redis, Result } from "ioredis";
import { isUnlimited } from "../../domain/limits/budget.ts";
import type { Caps, RateLimit } from "../../domain/limits/caps.ts";
import type { LimitDecision } from "../../domain/limits/decision.ts";
import { type Limiter, NEVER_GIVEN_BACK, type Slice, type Spending } from "../../domain/limits/limiter.ts";
import type { Clock } from "../../domain/vocabulary/clock.ts";
import type { Breaker } from "../redis/breaker.ts";
import { budgetName, hashTagOf, tenantUsersName, userBudgetName, usersName } from "../redis/redis-names.ts";
import { parseDecision, parsePeek, parseSlice, withTimeout } from "../redis/redis-replies.ts";
import { createBatches } from "../sql/driver/batches.ts";
import { GIVE_BACK_SCRIPT, SLICE_SCRIPT } from "./slice.lua.ts";
import { takeScript } from "./take.lua.ts";
import { USERS_MAX, type UsersMax } from "./users-max.lua.ts";

export interface RedisLimiterOptions {
  /** Default: Redis' own clock, one for all replicas. Tests pass their own. */
  readonly now?: Clock | undefined;
  /** `Breaker.run`. Default: no circuit breaker. */
  readonly run?: Breaker["run"];
  /** How long a request waits for its reply. Default: 1,000 ms. */
  readonly timeoutMs?: number | undefined;
  /** Default: 100,000 of a key, 200,000 of a tenant. */
  readonly usersMax?: UsersMax;
}

interface Take {
  readonly budgetId: string;
  readonly limit: Caps;
  /** 0 only returns the state. */
  readonly cost: number;
  readonly isShared: boolean;
  /** `names`: of its budget, and of the windows of users that bound how many there are. */
  readonly user: { readonly names: readonly string[]; readonly limit: Caps } | undefined;
}

/** A limiter that always waits for its reply. */
export interface RedisLimiter extends Limiter {
  take(...spending: Parameters<Limiter["take"]>): Promise<LimitDecision>;
  slice(...ask: Parameters<Limiter["slice"]>): Promise<Slice>;
  giveBack(...slice: Parameters<Limiter["giveBack"]>): Promise<void>;
}

/** Words that the script returns for each request. */
const WORDS = 5;

/**
 * Keeps the budgets of keys and their users for all replicas. One script call, by EVALSHA, decides for up to eight requests that came
 * together (ADR 12).
 *
 * Budgets expire when idle: at most an hour after their last use, unless a bucket takes longer to fill.
 *
 * The options of the connection decide what an outage costs. Close a connection that stops responding; set
 * `maxRetriesPerRequest: 0`, no offline queue and no `autoResendUnfulfilledCommands`, because a command that is sent
 * twice may spend twice.
 */
export function createRedisLimiter(redis: Redis | Cluster, options: RedisLimiterOptions = {}): RedisLimiter {
  const { now, run = (_, command) => command(), timeoutMs, usersMax = USERS_MAX } = options;
  redis.defineCommand("latchkeyTake", { lua: takeScript(usersMax) });
  redis.defineCommand("latchkeySlice", { lua: SLICE_SCRIPT, numberOfKeys: 1 });
  redis.defineCommand("latchkeyGiveBack", { lua: GIVE_BACK_SCRIPT, numberOfKeys: 1 });
  const takeInBatch = createBatches((takes: readonly Take[]) => runScript(takes, parseDecision));
  const peekInBatch = createBatches((looks: readonly Take[]) => runScript(looks, parsePeek));

  /** The words of a slice's script that both have. Slices are rare beside requests: each is a call of its own. */
  const sliceWords = (budgetId: string, limit: Caps, isShared = false): readonly (string | number)[] => [
    budgetName(budgetId),
    timeOfTest(),
    ...[limit.requestsPerMinute, limit.requestsPerHour, limit.burstSize, isShared ? 1 : 0],
  ];
  const timeOfTest = (): number | "" => (now === undefined ? "" : now().getTime());

  async function runScript<Output>(
    takes: readonly Take[],
    parse: (reply: readonly string[], start: number) => Output,
  ): Promise<Output[]> {
    const names: string[] = [];
    const words: number[] = [];
    for (const { budgetId, limit, cost, isShared, user } of takes) {
      names.push(budgetName(budgetId));
      words.push(limit.requestsPerMinute, limit.requestsPerHour, limit.burstSize, cost, isShared ? 1 : 0);
      if (user === undefined) words.push(0);
      else {
        names.push(...user.names);
        words.push(1, user.limit.requestsPerMinute, user.limit.requestsPerHour, user.limit.burstSize);
      }
    }
    const command = () =>
      withTimeout(redis.latchkeyTake(names.length, names, timeOfTest(), takes.length, words), timeoutMs);
    const reply = String(await run(hashTagOf(takes[0]?.budgetId ?? ""), command)).split(" ");
    if (reply.length !== WORDS * takes.length) throw new Error("A script returned a wrong number of decisions.");
    return takes.map((_, n) => parse(reply, WORDS * n));
  }

  /** All budgets of one call must be in one slot of a cluster. */
  const slotOf = (budgetId: string): string => (redis.isCluster ? hashTagOf(budgetId) : "");

  function take(budgetId: string, limit: RateLimit, { cost = 1, user, tenant = "", isShared = false }: Spending) {
    const { perUser } = limit;
    const slot = slotOf(budgetId);
    if (user === undefined || perUser === undefined) {
      return takeInBatch(slot, { budgetId, limit, cost, isShared, user: undefined });
    }
    const names = [userBudgetName(budgetId, user), usersName(budgetId), tenantUsersName(slot, tenant)];
    return takeInBatch(slot, { budgetId, limit, cost, isShared, user: { names, limit: perUser } });
  }

  return {
    take: (budgetId, limit, spending = {}) => take(budgetId, limit, spending),
    peek: (budgetId, limit, { isShared = false } = {}) =>
      peekInBatch(slotOf(budgetId), { budgetId, limit, cost: 0, isShared, user: undefined }),
    async slice(budgetId, limit, { most, isShared }) {
      const words = sliceWords(budgetId, limit, isShared);
      const reply = await run(hashTagOf(budgetId), () => withTimeout(redis.latchkeySlice(words, most), timeoutMs));
      return parseSlice(String(reply).split(" "));
    },
    async giveBack(budgetId, limit, { unspent, takenAtMs, isShared }) {
      if (isUnlimited(limit) || takenAtMs === NEVER_GIVEN_BACK) return;
      const words = sliceWords(budgetId, limit, isShared);
      await run(hashTagOf(budgetId), () => withTimeout(redis.latchkeyGiveBack(words, unspent, takenAtMs), timeoutMs));
    },
  };
}

declare module "ioredis" {
  interface RedisCommander<Context> {
    latchkeyTake(...args: (string | number | readonly (string | number)[])[]): Result<unknown, Context>;
    latchkeySlice(...args: (string | number | readonly (string | number)[])[]): Result<unknown, Context>;
    latchkeyGiveBack(...args: (string | number | readonly (string | number)[])[]): Result<unknown, Context>;
  }
}
