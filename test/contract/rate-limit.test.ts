// promise: callers.on-behalf-of, limits.windows, limits.bursts, limits.exact, limits.changed, limits.unlimited
// promise: limits.reported, limits.retry, limits.spend, usage.counts
import { describe, expect, test } from "vitest";
import type { Answer } from "../harness/http.ts";
import { PUBLISHABLE } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { SECOND } from "../harness/test-clock.ts";

const LIST = "/api/v1/llm/gateway/list-threads";
const VERIFY = "/api/v1/auth/verify";
const SEND = "/api/v1/llm/gateway/send-message";
const UNLIMITED = 2_147_483_647;

const latchkey = await sharedLatchkey();

/** A key with limits: the headers to call with it, and its id. */
async function limitedKey(rateLimit: object, fields: object = {}) {
  const dashboard = await latchkey.dashboard();
  const { key, key_id } = await latchkey.createKey(dashboard, { rate_limit: rateLimit, ...fields });
  return { dashboard, key_id, headers: { "x-api-key": key } };
}

function limitOf({ headers }: Answer) {
  const number = (name: string): number => Number(headers.get(name) ?? Number.NaN);
  return {
    limit: number("x-ratelimit-limit"),
    remaining: number("x-ratelimit-remaining"),
    reset: number("x-ratelimit-reset"),
  };
}

const nowS = (): number => Math.ceil(latchkey.clock.now().getTime() / 1_000);

describe("a key's limit", () => {
  test("admits exactly N of 100 concurrent requests", async () => {
    latchkey.clock.stand();
    const { headers } = await limitedKey({ requests_per_minute: 40 });
    // No list: a tenant's lists wait for each other, and for 3 s at most.
    const answers = await Promise.all(Array.from({ length: 100 }, () => latchkey.call(VERIFY, {}, headers)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(40);
    expect(statuses.filter((status) => status === 429)).toHaveLength(60);
  });

  // threat: L5
  test("is reported by a 429 with the remedy, and a retry after Retry-After is admitted", async () => {
    const { headers } = await limitedKey({ requests_per_minute: 2 });
    await latchkey.call(LIST, {}, headers);
    await latchkey.call(LIST, {}, headers);
    const denied = await latchkey.call(LIST, {}, headers);
    expect(denied.status).toBe(429);
    expect(denied.json).toMatchObject({ code: "resource_exhausted", denial_reason: "rate_limited" });
    const { limit, remaining, reset } = limitOf(denied);
    expect({ limit, remaining }).toEqual({ limit: 2, remaining: 0 });
    expect(denied.json.rate_limit).toEqual({
      limit: 2,
      remaining: 0,
      reset_at: new Date(reset * 1_000).toISOString().replace(".000Z", "Z"),
    });
    const retryAfter = Number(denied.headers.get("retry-after"));
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    latchkey.clock.advance(retryAfter * SECOND);
    expect((await latchkey.call(LIST, {}, headers)).status).toBe(200);
  });

  test("is reported as the minute's window and not the bucket, with 0 remaining on a 429 that the bucket causes", async () => {
    latchkey.clock.stand();
    const { headers } = await limitedKey({ requests_per_minute: 120, burst_size: 20 });
    const begin = nowS();
    const answers = await Promise.all(Array.from({ length: 20 }, () => latchkey.call(LIST, {}, headers)));
    expect(answers.map((answer) => limitOf(answer).remaining).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, n) => 100 + n),
    );
    const windowEnd = limitOf(answers[0] as Answer).reset;
    expect(windowEnd).toBeGreaterThanOrEqual(begin + 60);
    let denied: Answer;
    do denied = await latchkey.call(LIST, {}, headers);
    while (denied.status === 200);
    expect(limitOf(denied)).toEqual({ limit: 120, remaining: 0, reset: windowEnd });
    expect(denied.headers.get("retry-after")).toBe("1");
    const { reset_at, ...shown } = denied.json.rate_limit;
    expect(shown).toEqual({ limit: 120, remaining: 0 });
    expect(Date.parse(reset_at)).toBe(windowEnd * SECOND);
    latchkey.clock.advance(SECOND);
    const retried = await latchkey.call(LIST, {}, headers);
    expect(retried.status).toBe(200);
    expect(limitOf(retried)).toMatchObject({ limit: 120, reset: windowEnd });
    expect(limitOf(retried).remaining).toBeLessThan(100);
  });

  // threat: L4
  test("is that of the hour where it has fewer remaining than the minute, or as many", async () => {
    for (const [caps, limit] of [
      [{ requests_per_minute: 10, requests_per_hour: 5 }, 5],
      [{ requests_per_minute: 5, requests_per_hour: 10 }, 5],
      [{ requests_per_minute: 7, requests_per_hour: 7 }, 7],
    ] as const) {
      const { headers } = await limitedKey(caps);
      const answer = await latchkey.call(LIST, {}, headers);
      expect(limitOf(answer)).toMatchObject({ limit, remaining: limit - 1 });
      const isHour = limitOf(answer).reset > nowS() + 120;
      expect(isHour).toBe(caps.requests_per_hour <= caps.requests_per_minute);
    }
  });

  // threat: L13
  test("is spent by a 400 and a 403, but not by a denied credential", async () => {
    const { headers } = await limitedKey({ requests_per_minute: 100 }, { permissions: ["conversations:read"] });
    expect(limitOf(await latchkey.call(LIST, "{", headers)).remaining).toBe(99);
    expect(limitOf(await latchkey.call(SEND, {}, headers)).remaining).toBe(98);
    expect(limitOf(await latchkey.call("/api/v1/api-keys/list", {}, headers)).remaining).toBe(97);
    for (const [fields, reason] of [
      [PUBLISHABLE, "jwt_malformed"],
      [{ keyType: "KEY_TYPE_PUBLISHABLE" }, "misconfigured_publishable_key"],
    ] as const) {
      const publishable = await limitedKey({ requests_per_minute: 5 }, fields);
      const withToken = { ...publishable.headers, authorization: "Bearer x.y.z" };
      for (let n = 0; n < 2; n++) {
        const refused = await latchkey.call(LIST, {}, withToken);
        expect(refused.json.denial_reason).toBe(reason);
        expect(limitOf(refused)).toMatchObject({ limit: 5, remaining: 5 });
      }
    }
  });

  test("and its usage are the key's, whichever user it acts for", async () => {
    const permissions = ["conversations:read", "users:impersonate"];
    const { headers, dashboard, key_id } = await limitedKey({ requests_per_minute: 3 }, { permissions });
    const as = (user: string) => latchkey.call(LIST, {}, { ...headers, "x-on-behalf-of": user });
    const answers = [await as("anna"), await as("bob"), await latchkey.call(LIST, {}, headers), await as("carl")];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    const usage = await latchkey.call("/api/v1/api-keys/usage", { key_id }, dashboard);
    expect(usage.json.result).toMatchObject({ total_verifications: 4, successful_verifications: 3 });
  });

  // threat: L11
  test("that is changed within a window counts what is spent already", async () => {
    const { headers, dashboard, key_id } = await limitedKey({ requests_per_minute: 10 });
    for (let n = 0; n < 5; n++) await latchkey.call(LIST, {}, headers);
    const update = (rpm: number) =>
      latchkey.call(
        "/api/v1/api-keys/update",
        { key_id, rate_limit: { requests_per_minute: rpm }, update_mask: "rate_limit" },
        dashboard,
      );
    await update(3);
    const denied = await latchkey.call(LIST, {}, headers);
    expect(denied.status).toBe(429);
    expect(limitOf(denied).remaining).toBe(0);
    await update(20);
    expect((await latchkey.call(LIST, {}, headers)).status).toBe(200);
  });

  // threat: L4
  test("applies to bursts, minutes and hours together", async () => {
    latchkey.clock.stand();
    const { headers } = await limitedKey({ requests_per_minute: 10, requests_per_hour: 15, burst_size: 3 });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await latchkey.call(LIST, {}, headers)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    for (let n = 0; n < 12; n++) {
      latchkey.clock.advance(8 * SECOND);
      expect((await latchkey.call(LIST, {}, headers)).status).toBe(200);
    }
    latchkey.clock.advance(60 * SECOND);
    const denied = await latchkey.call(LIST, {}, headers);
    expect(denied.status).toBe(429);
    expect(limitOf(denied)).toMatchObject({ limit: 15, remaining: 0 });
  });
});

describe("a key that spends its minute at the end of the window", () => {
  /** How many requests are admitted as soon as the next minute has begun, and the answer to the one after them. */
  async function admittedInTheNext(burstSize: number) {
    latchkey.clock.stand();
    const { headers } = await limitedKey({ requests_per_minute: 6, burst_size: burstSize });
    const call = () => latchkey.call(LIST, {}, headers);
    expect((await call()).status).toBe(200);
    latchkey.clock.advance(50 * SECOND);
    for (let n = 0; n < 5; n++) expect((await call()).status).toBe(200);
    latchkey.clock.advance(10 * SECOND);
    for (let admitted = 0; ; admitted++) {
      const answer = await call();
      if (answer.status !== 200) return { admitted, retryAfter: Number(answer.headers.get("retry-after")) };
    }
  }

  // threat: L3
  test("gets it back at the rate of the cap if burst_size is 0, and not at once", async () => {
    // One was left, and one is refilled every 10 s.
    const { admitted, retryAfter } = await admittedInTheNext(0);
    expect(admitted).toBe(2);
    expect(retryAfter).toBeLessThanOrEqual(10);
  });

  // threat: L3
  test("has the whole next minute if burst_size is twice the cap", async () => {
    const { admitted, retryAfter } = await admittedInTheNext(12);
    expect(admitted).toBe(6);
    expect(retryAfter).toBeGreaterThan(40);
  });
});

describe("the limit headers", () => {
  // threat: L8
  test("of an unlimited key say so", async () => {
    const { headers } = await limitedKey({});
    expect(limitOf(await latchkey.call(LIST, {}, headers))).toMatchObject({ limit: UNLIMITED, remaining: UNLIMITED });
  });

  // threat: E5
  test.each(["sk_unknown", "nonsense", `sk_${"0".repeat(36)}`])("of the key %s are 0, 0, now", async (key) => {
    latchkey.clock.stand();
    const answer = await latchkey.call(LIST, {}, { "x-api-key": key });
    const { limit, remaining, reset } = limitOf(answer);
    expect({ status: answer.status, limit, remaining }).toEqual({ status: 401, limit: 0, remaining: 0 });
    expect(Math.abs(reset - nowS())).toBeLessThanOrEqual(2);
  });

  // threat: E5
  test("are absent without a key", async () => {
    const answer = await latchkey.call(LIST, {}, await latchkey.dashboard());
    expect(answer.headers.has("x-ratelimit-limit")).toBe(false);
  });
});

describe("usage", () => {
  test("counts every request with a known key once, successful or failed", async () => {
    const { headers, dashboard, key_id } = await limitedKey({ requests_per_minute: 3 }, { permissions: ["*"] });
    await latchkey.call(LIST, {}, headers);
    await latchkey.call(LIST, "{", headers);
    await latchkey.call("/api/v1/api-keys/list", {}, headers);
    await latchkey.call(LIST, {}, headers);
    await latchkey.call("/api/v1/api-keys/revoke", { key_id }, dashboard);
    await latchkey.call(LIST, {}, headers);
    const usage = await latchkey.call("/api/v1/api-keys/usage", { key_id }, dashboard);
    expect(usage.json).toEqual({
      result: { total_verifications: 5, successful_verifications: 2, failed_verifications: 3 },
    });
    const { json } = await latchkey.call("/api/v1/api-keys/get", { key_id }, dashboard);
    expect(json.result.last_used_at).toMatch(/Z$/);
  });
});
