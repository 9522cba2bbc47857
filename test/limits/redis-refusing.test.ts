import { setTimeout as sleep } from "node:timers/promises";
import { describe } from "vitest";
import { budgetName } from "../../src/store/redis/redis-names.ts";
import { AWAY, admitted, BACK, expectLimited, benchTest as test } from "../harness/redis-bench.ts";

/** Time for three calls, one each second; more for a busy machine. */
const SEEN_MS = 10_000;

type Command = readonly [string, ...string[]];

/** Open connections keep their rights, so the test must open a new one. */
const DROP_ALL: Command = ["CLIENT", "KILL", "TYPE", "normal"];

const REFUSALS: readonly { name: string; breaking: readonly Command[]; mending: Command }[] = [
  {
    name: "is full",
    breaking: [["CONFIG", "SET", "maxmemory", "1"]],
    mending: ["CONFIG", "SET", "maxmemory", "0"],
  },
  {
    name: "has too few replicas",
    breaking: [["CONFIG", "SET", "min-replicas-to-write", "1"]],
    mending: ["CONFIG", "SET", "min-replicas-to-write", "0"],
  },
  {
    name: "became a replica",
    breaking: [["REPLICAOF", "127.0.0.1", "1"]],
    mending: ["REPLICAOF", "NO", "ONE"],
  },
  {
    name: "wants a password",
    breaking: [["CONFIG", "SET", "requirepass", "x"], DROP_ALL],
    mending: ["CONFIG", "SET", "requirepass", ""],
  },
  {
    name: "forbids scripts",
    breaking: [["ACL", "SETUSER", "default", "-evalsha", "-eval"]],
    mending: ["ACL", "SETUSER", "default", "+evalsha", "+eval"],
  },
  {
    name: "forbids what our script does",
    breaking: [["ACL", "SETUSER", "default", "-get"]],
    mending: ["ACL", "SETUSER", "default", "+get"],
  },
  {
    name: "forbids our keys",
    breaking: [["ACL", "SETUSER", "default", "resetkeys", "~other:*"]],
    mending: ["ACL", "SETUSER", "default", "allkeys"],
  },
];

describe.concurrent("a Redis that rejects commands", () => {
  // threat: H6
  test.for(REFUSALS)(
    "because it $name is away, and back when it does not",
    async ({ breaking, mending }, { startBench, expect }) => {
      const bench = await startBench();
      const key = await bench.newKey(5);
      await bench.onRedis(async (operator) => {
        await operator.ping();
        for (const [command, ...args] of breaking) await operator.call(command, ...args);
        const answers = await bench.useTimes(key, 20);
        expectLimited(answers, 5);
        expect(admitted(answers)).toBe(5);
        expect(bench.changes()).toEqual([AWAY]);
        const [command, ...args] = mending;
        await operator.call(command, ...args);
      });
      await bench.recovery();
      expect(bench.changes()).toEqual([AWAY, BACK]);
      await bench.expectShared();
    },
  );

  test.for(REFUSALS)(
    "because it $name is away also for few callers, and found away and back without any",
    async (it, { startBench, expect }) => {
      const bench = await startBench();
      const [limited, unlimited] = [await bench.newKey(5), await bench.newKey()];
      for (const key of [limited, unlimited]) await bench.useTimes(key, 2);
      await bench.onRedis(async (operator) => {
        await operator.ping();
        for (const [command, ...args] of it.breaking) await operator.call(command, ...args);
        await expect.poll(() => bench.redisUp(), { timeout: SEEN_MS }).toBe("0");
        // Commands that could succeed must not mark Redis as up: those for the time, and for keys without a limit.
        for (let n = 0; n < 20; n++) {
          await bench.use(n % 5 === 0 ? limited : unlimited);
          await sleep(100);
        }
        expect(bench.changes()).toEqual([AWAY]);
        const [command, ...args] = it.mending;
        await operator.call(command, ...args);
      });
      await expect.poll(() => bench.redisUp(), { timeout: SEEN_MS }).toBe("1");
      expect(bench.changes()).toEqual([AWAY, BACK]);
    },
  );
});

// threat: H6
describe.concurrent("a foreign value under a budget's name in Redis", () => {
  test.for<readonly [string, Command]>([
    ["of a wrong type", ["SET", "rubbish"]],
    ["that is no number", ["HSET", "at", "x", "lv", "y", "cp", "z"]],
  ])(
    "%s is ignored: that key's budget starts full, and there is no outage",
    async ([, [verb, ...args]], { startBench, expect }) => {
      const bench = await startBench();
      const [spoilt, other] = [await bench.newKey(5), await bench.newKey(5)];
      for (const key of [spoilt, other]) await bench.useTimes(key, 3);
      await bench.onRedis(async (redis) => {
        const name = budgetName(spoilt.keyId);
        expect(await redis.del(name)).toBe(1);
        await redis.call(verb, name, ...args);
      });
      expect(admitted(await bench.useTimes(spoilt, 10))).toBe(5);
      expect(admitted(await bench.useTimes(other, 10))).toBe(2);
      expect(bench.changes()).toEqual([]);
      expect(await bench.redisUp()).toBe("1");
    },
  );
});
