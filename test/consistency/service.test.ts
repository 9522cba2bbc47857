// promise: keys.unknown, keys.bind
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { type CreatedKey, type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { type CuttableProxy, startProxy } from "../servers/cuttable-proxy.ts";
import { copyDatabase } from "../servers/postgres.ts";
import { startOwnRedis } from "../servers/redis.ts";

const VERIFY = "/api/v1/auth/verify";
const RECOVERY_MS = 10_000;
/** From either of two replicas to the other. */
const REVOCATIONS = 200;
const REVOCATIONS_AT_ONCE = 10;

/** Two services over one database, each with its own way to PostgreSQL and Redis, which can be cut. */
interface Pair {
  readonly one: Latchkey;
  readonly other: Latchkey;
  readonly postgres: CuttableProxy;
  readonly redis: CuttableProxy;
}

const cleanUps: (() => Promise<unknown>)[] = [];

async function startPair(withRedis: boolean, redisUrl = inject("redisUrl")): Promise<Pair> {
  const database = new URL(await copyDatabase(inject("servingTemplate").adminUrl));
  const postgres = await startProxy(Number(database.port));
  const redis = await startProxy(Number(new URL(redisUrl).port));
  const start = (port: string | number) => {
    const url = new URL(database);
    url.port = String(port);
    return startLatchkey({
      config: {
        storage: { kind: "postgres", url: url.href },
        redis: withRedis ? redisAt(`redis://127.0.0.1:${redis.port}`) : null,
      },
    });
  };
  const one = await start(database.port);
  const other = await start(postgres.port);
  cleanUps.push(
    postgres.stop,
    redis.stop,
    () => other.close(),
    () => one.close(),
  );
  return { one, other, postgres, redis };
}

async function close(): Promise<void> {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
}

async function manage(latchkey: Latchkey, tenant: string, verb: string, body: object) {
  const answer = await latchkey.call(`/api/v1/api-keys/${verb}`, body, await latchkey.dashboard(tenant));
  expect(answer.status, answer.text).toBe(200);
}

async function operate(latchkey: Latchkey, verb: "suspend" | "resume", body: object) {
  const answer = await latchkey.call(`/api/v1/operator/tenants/${verb}`, body, OPERATOR);
  expect(answer.status, answer.text).toBe(200);
}

async function outcome(latchkey: Latchkey, { key }: CreatedKey, scope = "conversations:read"): Promise<string> {
  const { status, json } = await latchkey.call(VERIFY, { scope }, { "x-api-key": key });
  return status === 200 ? "200" : `${status} ${json.denial_reason}`;
}

/** Revokes keys through one replica, and counts those that the other one accepts after the answer. */
async function countStale([from, to]: readonly [Latchkey, Latchkey], tenant: string, count: number) {
  let begun = 0;
  let stale = 0;
  const worker = async () => {
    while (begun < count) {
      begun += 1;
      // A key with a limit asks Redis, one without does not.
      const fields = begun % 2 === 0 ? {} : { rate_limit: { requests_per_minute: 50 } };
      const key = await from.createKey(await from.dashboard(tenant), fields);
      expect(await outcome(to, key)).toBe("200");
      await manage(from, tenant, "revoke", { key_id: key.key_id });
      if ((await outcome(to, key)) !== "401 api_key_revoked") stale += 1;
    }
  };
  await Promise.all(Array.from({ length: REVOCATIONS_AT_ONCE }, worker));
  return stale;
}

describe.each([
  ["with Redis", true],
  ["with PostgreSQL alone", false],
])("a change that one replica acknowledged binds on another, %s", (_, withRedis) => {
  let pair: Pair;
  const tenant = newTenant();

  beforeAll(async () => {
    pair = await startPair(withRedis);
  });

  afterAll(close);

  async function warmKey(fields: Record<string, unknown> = {}): Promise<CreatedKey> {
    const key = await pair.one.createKey(await pair.one.dashboard(tenant), fields);
    for (const latchkey of [pair.one, pair.other]) expect(await outcome(latchkey, key)).toBe("200");
    return key;
  }

  // threat: R1
  test("two hundred revocations each way", async () => {
    const { one, other } = pair;
    expect(await countStale([one, other], tenant, REVOCATIONS)).toBe(0);
    expect(await countStale([other, one], tenant, REVOCATIONS)).toBe(0);
  });

  test("disabling and enabling, over and over, from either side", async () => {
    const key = await warmKey();
    for (let n = 0; n < 20; n++) {
      const [from, to] = n % 2 === 0 ? [pair.one, pair.other] : [pair.other, pair.one];
      await manage(from, tenant, "disable", { key_id: key.key_id });
      expect(await outcome(to, key)).toBe("401 api_key_disabled");
      await manage(from, tenant, "enable", { key_id: key.key_id });
      expect(await outcome(to, key)).toBe("200");
    }
  });

  test("suspending and resuming the tenant, over and over, from either side, for its keys and its users", async () => {
    const own = newTenant();
    const key = await pair.one.createKey(await pair.one.dashboard(own));
    const stranger = await warmKey();
    const userOutcome = async (latchkey: Latchkey) => {
      const user = await latchkey.dashboard(own);
      const { status, json } = await latchkey.call("/api/v1/api-keys/get", { key_id: key.key_id }, user);
      return status === 200 ? "200" : `${status} ${json.denial_reason}`;
    };
    for (const latchkey of [pair.one, pair.other]) {
      expect([await outcome(latchkey, key), await userOutcome(latchkey)]).toEqual(["200", "200"]);
    }
    for (let n = 0; n < 10; n++) {
      const [from, to] = n % 2 === 0 ? [pair.one, pair.other] : [pair.other, pair.one];
      await operate(from, "suspend", { tenant_id: own, reason: "unpaid" });
      expect(await Promise.all([outcome(to, key), userOutcome(to)])).toEqual([
        "401 api_key_disabled",
        "403 tenant_suspended",
      ]);
      expect(await outcome(to, stranger)).toBe("200");
      await operate(from, "resume", { tenant_id: own });
      expect(await Promise.all([outcome(to, key), userOutcome(to)])).toEqual(["200", "200"]);
    }
  });

  test("a suspension without a break of the use of its keys: none is admitted after the answer", async () => {
    for (let n = 0; n < 10; n++) {
      const own = newTenant();
      const keys = [];
      for (let k = 0; k < 3; k++) keys.push(await pair.one.createKey(await pair.one.dashboard(own)));
      let isSuspended = false;
      let isOver = false;
      const seen: string[] = [];
      const using = keys.map(async (key) => {
        while (!isOver) {
          const wasSuspended = isSuspended;
          const found = await outcome(pair.other, key);
          if (wasSuspended) seen.push(found);
        }
      });
      await operate(pair.one, "suspend", { tenant_id: own });
      isSuspended = true;
      await expect.poll(() => seen.length, { timeout: RECOVERY_MS }).toBeGreaterThan(10);
      isOver = true;
      await Promise.all(using);
      expect(new Set(seen)).toEqual(new Set(["401 api_key_disabled"]));
    }
  });

  // threat: P13
  test("a scope taken away, and given back", async () => {
    const key = await warmKey();
    const update = (permissions: string[]) =>
      manage(pair.one, tenant, "update", { key_id: key.key_id, permissions, update_mask: "permissions" });
    await update(["plans:read"]);
    expect(await outcome(pair.other, key)).toBe("403 insufficient_scope");
    await update(["conversations:*"]);
    expect(await outcome(pair.other, key)).toBe("200");
  });

  // threat: L11
  test("a lower limit, on what was spent before", async () => {
    const key = await warmKey({ rate_limit: { requests_per_minute: 50 } });
    const rate_limit = { requests_per_minute: 1 };
    await manage(pair.one, tenant, "update", { key_id: key.key_id, rate_limit, update_mask: "rate_limit" });
    expect(await outcome(pair.other, key)).toBe("429 rate_limited");
  });

  // threat: R11
  test("a rotation without grace, and its successor", async () => {
    const key = await warmKey();
    const rotated = await pair.one.call(
      "/api/v1/api-keys/rotate",
      { key_id: key.key_id, grace_period_hours: 0 },
      await pair.one.dashboard(tenant),
    );
    expect(await outcome(pair.other, key)).toBe("401 api_key_expired");
    expect(await outcome(pair.other, rotated.json.result as CreatedKey)).toBe("200");
  });
});

describe("Redis has no part in what a change of a key means", () => {
  afterEach(close);

  // threat: R2, H6
  test("while it is flushed, killed and started again, every revocation binds", async () => {
    let server = await startOwnRedis();
    cleanUps.push(() => server.stop());
    const { one, other } = await startPair(true, server.url);
    let isDone = false;
    const disturbing = (async () => {
      while (!isDone) {
        const redis = new Redis(server.url);
        await redis.flushall();
        redis.disconnect();
        await sleep(50);
        await server.stop();
        await sleep(50);
        server = await startOwnRedis({ port: server.port });
        await sleep(100);
      }
    })();
    const stale = await countStale([one, other], newTenant(), REVOCATIONS / 2);
    isDone = true;
    await disturbing;
    expect(stale).toBe(0);
  });
});

describe("an outage of PostgreSQL", () => {
  afterEach(close);

  // threat: H7
  test("is never a 401 for a valid key and never a 200 for a revoked one, and ends by itself", async () => {
    const { one, other, postgres } = await startPair(true);
    const tenant = newTenant();
    const [warm, cold, revoked] = await Promise.all(
      [0, 1, 2].map(async () => one.createKey(await one.dashboard(tenant))),
    );
    if (!warm || !cold || !revoked) throw new Error("unreachable");
    for (const key of [warm, revoked]) expect(await outcome(other, key)).toBe("200");
    await manage(one, tenant, "revoke", { key_id: revoked.key_id });
    postgres.cut();
    const seen = new Set<string>();
    const warmOutcome = async () => {
      const found = await outcome(other, warm);
      seen.add(found);
      expect(await outcome(other, cold)).toBe("500 verifier_error");
      expect(["401 api_key_revoked", "500 verifier_error"]).toContain(await outcome(other, revoked));
      return found;
    };
    // Until its lease ends, the replica uses what it has cached.
    await expect.poll(warmOutcome, { timeout: RECOVERY_MS }).toBe("500 verifier_error");
    expect([...seen].sort()).toEqual(["200", "500 verifier_error"]);
    const answer = await other.call(VERIFY, {}, { "x-api-key": cold.key });
    for (const name of ["limit", "remaining", "reset"])
      expect(answer.headers.get(`x-ratelimit-${name}`)).not.toBeNull();
    postgres.mend();
    await expect.poll(() => outcome(other, cold), { timeout: RECOVERY_MS }).toBe("200");
    expect(await outcome(other, revoked)).toBe("401 api_key_revoked");
  });

  test("together with one of Redis ends by itself, too", async () => {
    const { one, other, postgres, redis } = await startPair(true);
    const key = await one.createKey(await one.dashboard());
    postgres.cut();
    redis.cut();
    for (let n = 0; n < 5; n++) expect(await outcome(other, key)).toBe("500 verifier_error");
    postgres.mend();
    redis.mend();
    await expect.poll(() => outcome(other, key), { timeout: RECOVERY_MS }).toBe("200");
  });

  test("without Redis leaves malformed keys a 401", async () => {
    const { one, other, postgres } = await startPair(false);
    const key = await one.createKey(await one.dashboard());
    postgres.cut();
    for (let n = 0; n < 3; n++) expect(await outcome(other, key)).toBe("500 verifier_error");
    // A malformed key needs no look-up.
    const mistyped = key.key.replace(/.$/, (last) => (last === "a" ? "b" : "a"));
    expect(await outcome(other, { ...key, key: mistyped })).toBe("401 api_key_not_found");
    expect(await outcome(other, { ...key, key: "nonsense" })).toBe("401 api_key_invalid");
    postgres.mend();
    await expect.poll(() => outcome(other, key), { timeout: RECOVERY_MS }).toBe("200");
  });

  test("does not open the breaker of Redis", async () => {
    const { one, other, postgres } = await startPair(true);
    postgres.cut();
    const key = await one.createKey(await one.dashboard());
    for (let n = 0; n < 5; n++) await outcome(other, key);
    expect(await (await fetch(`${other.url}/metrics`)).text()).toContain("latchkey_redis_up 1");
  });
});
