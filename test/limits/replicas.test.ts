// promise: keys.bind, rotation.budget, limits.exact, limits.per-user, limits.retry, usage.counts, usage.complete
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import type { Answer } from "../harness/http.ts";
import { startLatchkey } from "../harness/latchkey.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { HOUR } from "../harness/test-clock.ts";
import { copyDatabase } from "../servers/postgres.ts";

const VERIFY = "/api/v1/auth/verify";
/** The promise is one second (docs/promises.md); a busy machine gets another one. */
const USAGE_MS = 2_000;
const ROUNDS = 20;

let fleet: Fleet;
let replicas: readonly [Replica, Replica];

beforeAll(async () => {
  fleet = await startFleet(inject("redisUrl"));
  // At once, as in a rollout: both migrate.
  replicas = await Promise.all([fleet.start(), fleet.start()]);
});

afterAll(() => fleet?.close());

/** Sends that many requests at once, half of them to each replica. */
function burst(count: number, headers: Record<string, string>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => (replicas[n % 2] as Replica).call(VERIFY, {}, headers)));
}

function statuses(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function limitedKey(rateLimit: object, fields: object = {}) {
  const { key, key_id } = await fleet.createKey(replicas[0], { rate_limit: rateLimit, ...fields });
  return { keyId: key_id, headers: { "x-api-key": key } };
}

function expectSaneHeaders(answers: readonly Answer[], limit: number): void {
  const nowS = Date.now() / 1_000;
  for (const { headers, status, json } of answers) {
    const values = ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`) ?? "none");
    for (const text of values) expect(text).toMatch(/^\d+$/);
    const [most, remaining, reset] = values.map(Number);
    expect(most).toBe(limit);
    expect(remaining).toBeLessThan(limit);
    expect(reset).toBeGreaterThan(nowS - 60);
    expect(reset).toBeLessThanOrEqual(nowS + 3_601);
    expect(headers.has("retry-after")).toBe(status === 429);
    if (status === 429) expect({ header: remaining, body: json.rate_limit?.remaining }).toEqual({ header: 0, body: 0 });
  }
}

describe("two processes on one Redis and one PostgreSQL", () => {
  // threat: L1
  test("admit exactly N of 1,000 requests at once, and return each remaining number once", async () => {
    const { headers } = await limitedKey({ requests_per_minute: 100 });
    const answers = await burst(1_000, headers);
    expect(statuses(answers)).toEqual({ 200: 100, 429: 900 });
    expectSaneHeaders(answers, 100);
    const remaining = answers
      .filter(({ status }) => status === 200)
      .map((a) => Number(a.headers.get("x-ratelimit-remaining")));
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });

  test.each([1, 100])(`do so in each of ${ROUNDS} rounds, each with a new key, for N = %i`, async (n) => {
    for (let round = 0; round < ROUNDS; round++) {
      const { headers } = await limitedKey({ requests_per_minute: n });
      const answers = await burst(n + 100, headers);
      expect(statuses(answers), `round ${round}`).toEqual({ 200: n, 429: 100 });
      expectSaneHeaders(answers, n);
    }
  });

  test("do so for an hourly limit and for a burst", async () => {
    const hourly = await limitedKey({ requests_per_hour: 50 });
    expect(statuses(await burst(200, hourly.headers))).toEqual({ 200: 50, 429: 150 });
    const bursting = await limitedKey({ requests_per_hour: 50, burst_size: 7 });
    expect(statuses(await burst(200, bursting.headers))).toEqual({ 200: 7, 429: 193 });
  });

  // threat: L6
  test("return a correct Retry-After: for each of 100 keys a retry after it is admitted, on the other process, too", async () => {
    const keys = await Promise.all(
      // Five seconds to the next token: on a busy machine a second call comes late.
      Array.from({ length: 100 }, () => limitedKey({ requests_per_minute: 12, burst_size: 1 })),
    );
    const [one, other] = replicas;
    const retried = keys.map(async ({ headers }) => {
      const startedMs = performance.now();
      await one.call(VERIFY, {}, headers);
      const denied = await other.call(VERIFY, {}, headers);
      const leastS = 5 - (performance.now() - startedMs) / 1_000;
      const retryAfter = Number(denied.headers.get("retry-after"));
      // Redis' own clock decides, which no test can set.
      await sleep(retryAfter * 1_000);
      const retry = await other.call(VERIFY, {}, headers);
      return { denied: denied.status, isOfToken: retryAfter >= leastS && retryAfter <= 5, retry: retry.status };
    });
    const expected = { denied: 429, isOfToken: true, retry: 200 };
    expect(await Promise.all(retried)).toEqual(keys.map(() => expected));
  });

  // threat: R19
  test("count each request once: the totals of both add up, read on either within two seconds", async () => {
    const { headers, keyId } = await limitedKey({ requests_per_minute: 100 });
    const answers = await burst(1_000, headers);
    expect(statuses(answers)).toEqual({ 200: 100, 429: 900 });
    const expected = { total: 1_000, successful: 100, failed: 900 };
    for (const replica of replicas) {
      await expect.poll(() => fleet.usage(replica, keyId), { timeout: USAGE_MS }).toEqual(expected);
    }
  });

  test("show at once, on the same replica, every request that it has answered", async () => {
    const { headers, keyId } = await limitedKey({});
    for (let n = 1; n <= 5; n++) {
      await replicas[1].call(VERIFY, {}, headers);
      expect(await fleet.usage(replicas[1], keyId)).toEqual({ total: n, successful: n, failed: 0 });
    }
  });

  test("never show a total that differs from the sum of its parts, or that decreases, while requests arrive", async () => {
    const { headers, keyId } = await limitedKey({ requests_per_minute: 50 });
    let done = false;
    const traffic = (async () => {
      for (let n = 0; n < 6; n++) await burst(100, headers);
      done = true;
    })();
    let last = 0;
    for (let n = 0; !done; n++) {
      const { total, successful, failed } = await fleet.usage(replicas[n % 2] as Replica, keyId);
      expect(total).toBe(successful + failed);
      expect(total).toBeGreaterThanOrEqual(last);
      last = total;
    }
    await traffic;
    const expected = { total: 600, successful: 50, failed: 550 };
    for (const replica of replicas) {
      await expect.poll(() => fleet.usage(replica, keyId), { timeout: USAGE_MS }).toEqual(expected);
    }
  });

  test("apply an update, a disabling, a rotation and a revocation on one to the next request on the other", async () => {
    const dashboard = await fleet.dashboard();
    const [one, other] = replicas;
    const change = (method: string, body: object) => one.call(`/api/v1/api-keys/${method}`, body, dashboard);
    const outcome = async (headers: Record<string, string>) => {
      const { status, json } = await other.call(VERIFY, {}, headers);
      return json.denial_reason ?? status;
    };
    for (let round = 0; round < 10; round++) {
      const { headers, keyId: key_id } = await limitedKey({ requests_per_minute: 100 });
      expect(await outcome(headers)).toBe(200);
      await change("update", { key_id, rate_limit: { requests_per_minute: 1 }, update_mask: "rate_limit" });
      expect(await outcome(headers)).toBe("rate_limited");
      await change("disable", { key_id });
      expect(await outcome(headers)).toBe("api_key_disabled");
      await change("enable", { key_id });
      expect(await outcome(headers)).toBe("rate_limited");
      await change("rotate", { key_id, grace_period_hours: 0 });
      expect(await outcome(headers)).toBe("api_key_expired");
      await change("revoke", { key_id });
      expect(await outcome(headers)).toBe("api_key_revoked");
    }
  });

  test("admit exactly N of each user, and the key's N in all", async () => {
    const { headers } = await limitedKey(
      { requests_per_minute: 30, per_user: { requests_per_minute: 12 } },
      { permissions: ["users:impersonate"] },
    );
    const users = ["anna", "ben", "carl"].map((user) => burst(50, { ...headers, "x-on-behalf-of": user }));
    const counts = (await Promise.all(users)).map((answers) => statuses(answers)[200] ?? 0);
    expect(counts.reduce((sum, count) => sum + count)).toBe(30);
    expect(Math.max(...counts)).toBeLessThanOrEqual(12);
    const alone = await limitedKey({ per_user: { requests_per_minute: 7 } }, { permissions: ["users:impersonate"] });
    const answers = await burst(50, { ...alone.headers, "x-on-behalf-of": "anna" });
    expect(statuses(answers)).toEqual({ 200: 7, 429: 43 });
  });

  test("give a rotated key and its successor one budget, exactly, on both", async () => {
    const { headers, keyId } = await limitedKey({ requests_per_minute: 5 });
    const { json } = await replicas[0].call(
      "/api/v1/api-keys/rotate",
      { key_id: keyId, grace_period_hours: 1 },
      await fleet.dashboard(),
    );
    const successor = { "x-api-key": json.result.key };
    const answers = await Promise.all([burst(50, headers), burst(50, successor)]);
    expect(statuses(answers.flat())).toEqual({ 200: 5, 429: 95 });
  });
});

// threat: L12
test("a replica whose clock is off by an hour admits as many as others: Redis' clock decides", async () => {
  const storage = { kind: "postgres", url: await copyDatabase(inject("servingTemplate").adminUrl) } as const;
  const replica = await startLatchkey({ config: { redis: redisAt(inject("redisUrl")), storage } });
  try {
    const { key } = await replica.createKey(await replica.dashboard(), { rate_limit: { requests_per_minute: 3 } });
    const headers = { "x-api-key": key };
    const statuses: number[] = [];
    for (const stepMs of [0, HOUR, -2 * HOUR, 3 * HOUR, -HOUR]) {
      replica.clock.advance(stepMs);
      const answer = await replica.call(VERIFY, {}, headers);
      statuses.push(answer.status);
      const resetS = Number(answer.headers.get("x-ratelimit-reset")) - Date.now() / 1_000;
      expect(resetS).toBeGreaterThan(-30);
      expect(resetS).toBeLessThanOrEqual(61);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  } finally {
    await replica.close();
  }
});
