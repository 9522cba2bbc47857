import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { type CreatedKey, type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { type CuttableProxy, startProxy } from "../servers/cuttable-proxy.ts";
import { createDatabase } from "../servers/postgres.ts";

const VERIFY = "/api/v1/auth/verify";
const RECOVERY_MS = 10_000;

/** Two services over one database, each with its own way to PostgreSQL and Redis, which can be cut. */
interface Pair {
  readonly one: Latchkey;
  readonly other: Latchkey;
  readonly postgres: CuttableProxy;
  readonly redis: CuttableProxy;
}

const cleanUps: (() => Promise<unknown>)[] = [];

async function startPair(withRedis: boolean): Promise<Pair> {
  const database = new URL(await createDatabase(inject("postgresUrl")));
  const postgres = await startProxy(Number(database.port));
  const redis = await startProxy(Number(new URL(inject("redisUrl")).port));
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

async function outcome(latchkey: Latchkey, { key }: CreatedKey, scope = "conversations:read"): Promise<string> {
  const { status, json } = await latchkey.call(VERIFY, { scope }, { "x-api-key": key });
  return status === 200 ? "200" : `${status} ${json.denial_reason}`;
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

  async function warmKey(fields: object = {}): Promise<CreatedKey> {
    const key = await pair.one.createKey(await pair.one.dashboard(tenant), { ...fields });
    for (const latchkey of [pair.one, pair.other]) expect(await outcome(latchkey, key)).toBe("200");
    return key;
  }

  test("a hundred revocations", async () => {
    for (let n = 0; n < 100; n++) {
      const key = await warmKey();
      await manage(pair.one, tenant, "revoke", { key_id: key.key_id });
      expect(await outcome(pair.other, key)).toBe("401 api_key_revoked");
    }
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

  test("a scope taken away, and given back", async () => {
    const key = await warmKey();
    const update = (permissions: string[]) =>
      manage(pair.one, tenant, "update", { key_id: key.key_id, permissions, update_mask: "permissions" });
    await update(["plans:read"]);
    expect(await outcome(pair.other, key)).toBe("403 insufficient_scope");
    await update(["conversations:*"]);
    expect(await outcome(pair.other, key)).toBe("200");
  });

  test("a lower limit, on what was spent before", async () => {
    const key = await warmKey({ rate_limit: { requests_per_minute: 50 } });
    const rate_limit = { requests_per_minute: 1 };
    await manage(pair.one, tenant, "update", { key_id: key.key_id, rate_limit, update_mask: "rate_limit" });
    expect(await outcome(pair.other, key)).toBe("429 rate_limited");
  });

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

describe("an outage", () => {
  afterEach(close);

  test("of PostgreSQL is never a 401 for a valid key and never a 200 for a revoked one, and ends by itself", async () => {
    const { one, other, postgres } = await startPair(true);
    const tenant = newTenant();
    const [warm, cold, revoked] = await Promise.all(
      [0, 1, 2].map(async () => one.createKey(await one.dashboard(tenant))),
    );
    if (!warm || !cold || !revoked) throw new Error("unreachable");
    expect(await outcome(other, warm)).toBe("200");
    await manage(one, tenant, "revoke", { key_id: revoked.key_id });
    postgres.cut();
    for (let n = 0; n < 5; n++) {
      expect(["200", "500 verifier_error"]).toContain(await outcome(other, warm));
      expect(await outcome(other, cold)).toBe("500 verifier_error");
      expect(["401 api_key_revoked", "500 verifier_error"]).toContain(await outcome(other, revoked));
    }
    const answer = await other.call(VERIFY, {}, { "x-api-key": cold.key });
    for (const name of ["limit", "remaining", "reset"])
      expect(answer.headers.get(`x-ratelimit-${name}`)).not.toBeNull();
    postgres.mend();
    await expect.poll(() => outcome(other, cold), { timeout: RECOVERY_MS }).toBe("200");
    expect(await outcome(other, revoked)).toBe("401 api_key_revoked");
  });

  test("of PostgreSQL and Redis together, too", async () => {
    const { one, other, postgres, redis } = await startPair(true);
    const key = await one.createKey(await one.dashboard());
    expect(await outcome(other, key)).toBe("200");
    postgres.cut();
    redis.cut();
    for (let n = 0; n < 5; n++) expect(await outcome(other, key)).toBe("500 verifier_error");
    postgres.mend();
    redis.mend();
    await expect.poll(() => outcome(other, key), { timeout: RECOVERY_MS }).toBe("200");
  });

  test("of PostgreSQL, without Redis", async () => {
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

  test("of PostgreSQL does not open the breaker of Redis", async () => {
    const { one, other, postgres } = await startPair(true);
    postgres.cut();
    const key = await one.createKey(await one.dashboard());
    for (let n = 0; n < 5; n++) await outcome(other, key);
    expect(await (await fetch(`${other.url}/metrics`)).text()).toContain("latchkey_redis_up 1");
  });
});
