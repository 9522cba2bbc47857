import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { expectPublicMessage } from "../harness/faults.ts";
import { newTenant } from "../harness/latchkey.ts";
import { AWAY, admitted, BACK, type BenchKey, expectLimited, RedisBench } from "../harness/redis-bench.ts";

let bench: RedisBench;

beforeEach(async () => {
  bench = await RedisBench.start();
});

afterEach(() => bench?.close());

type Command = readonly [string, ...string[]];

/** Connections that stay open keep their rights, so that we must make a new one. */
const DROP_ALL: Command = ["CLIENT", "KILL", "TYPE", "normal"];

const REFUSALS: readonly { name: string; breaking: readonly Command[]; mending: Command }[] = [
  {
    name: "is full",
    breaking: [["CONFIG", "SET", "maxmemory", "1"]],
    mending: ["CONFIG", "SET", "maxmemory", "0"],
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
    breaking: [["ACL", "SETUSER", "default", "-hset"]],
    mending: ["ACL", "SETUSER", "default", "+hset"],
  },
  {
    name: "forbids our keys",
    breaking: [["ACL", "SETUSER", "default", "resetkeys", "~other:*"]],
    mending: ["ACL", "SETUSER", "default", "allkeys"],
  },
];

describe("a Redis that refuses us", () => {
  test.each(REFUSALS)("because it $name is away, and back when it does not", async ({ breaking, mending }) => {
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
  });
});

describe("rubbish under a key's name in Redis", () => {
  /** Puts something else in the place of the key's state. */
  function spoil({ keyId }: BenchKey, [verb, ...args]: Command): Promise<unknown> {
    return bench.onRedis(async (redis) => {
      const [name = ""] = await redis.keys(`*${keyId}`);
      expect(name).not.toBe("");
      await redis.del(name);
      await redis.call(verb, name, ...args);
    });
  }

  test.each<readonly [string, Command]>([
    ["of a wrong type", ["SET", "rubbish"]],
    ["that is no number", ["HSET", "at", "x", "lv", "y", "cp", "z"]],
  ])("%s is a 500 for that key alone, until it is removed, and no outage", async (_, command) => {
    const [spoilt, other] = [await bench.newKey(5), await bench.newKey(50)];
    await bench.use(spoilt);
    await spoil(spoilt, command);
    for (let n = 0; n < 5; n++) {
      const answer = await bench.use(spoilt);
      expect(answer.status, answer.text).toBe(500);
      expect(answer.json.code).toBe("internal");
      expectPublicMessage(answer);
      expect((await bench.use(other)).status).toBe(200);
    }
    expect(bench.changes()).toEqual([]);
    expect(await bench.redisUp()).toBe("1");
    await bench.onRedis(async (redis) => redis.del(await redis.keys(`*${spoilt.keyId}`)));
    expect(admitted(await bench.useTimes(spoilt, 10))).toBe(5);
  });

  test("is answered like any other request with a key: with the headers of ruling 32, counted as failed, logged once", async () => {
    const tenant = newTenant();
    const spoilt = await bench.newKey(5, tenant);
    await bench.use(spoilt);
    await spoil(spoilt, ["SET", "rubbish"]);
    const answer = await bench.use(spoilt);
    expect(answer.status).toBe(500);
    expect(answer.json.message).toContain("request id");
    expect(answer.headers.get("x-ratelimit-limit")).toBe("0");
    expect(answer.headers.get("x-ratelimit-remaining")).toBe("0");
    expect(answer.headers.get("x-ratelimit-reset")).toMatch(/^\d{10}$/);
    expect(bench.latchkey.logLines.filter((line) => line.includes("unforeseen error"))).toHaveLength(1);
    const { json } = await bench.latchkey.call(
      "/api/v1/api-keys/usage",
      { key_id: spoilt.keyId },
      await bench.latchkey.dashboard(tenant),
    );
    expect(json.result).toEqual({ total_verifications: 2, successful_verifications: 1, failed_verifications: 1 });
  });

  test("does not keep a path that does not exist from being a 404, nor a refused token from being a 401", async () => {
    const spoilt = await bench.newKey(5);
    await bench.use(spoilt);
    await spoil(spoilt, ["SET", "rubbish"]);
    const answer = await bench.latchkey.call("/api/v1/no/such/path", {}, spoilt.headers);
    expect(answer.status).toBe(404);
    expect(answer.headers.get("x-ratelimit-limit")).toBe("0");
  });
});
