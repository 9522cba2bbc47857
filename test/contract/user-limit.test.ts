// promise: limits.bursts, limits.per-user, limits.user-denied
import { describe, expect, test } from "vitest";
import { eventsOf } from "../harness/audit.ts";
import type { Answer } from "../harness/http.ts";
import { dashboardOf, PUBLISHABLE } from "../harness/key-management.ts";
import { sharedPublishable } from "../harness/publishable.ts";
import { SECOND } from "../harness/test-clock.ts";

const VERIFY = "/api/v1/auth/verify";
const LIST = "/api/v1/llm/gateway/list-threads";
const TWO_OF_FIVE = { requests_per_minute: 5, per_user: { requests_per_minute: 2 } };

const { latchkey, newApp } = await sharedPublishable();

async function secretKey(rate_limit: object, permissions = ["conversations:read", "users:impersonate"]) {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey({ rate_limit, permissions });
  const headers = { "x-api-key": key };
  const as = (user: string, path = VERIFY) => latchkey.call(path, {}, { ...headers, "x-on-behalf-of": user });
  return { dashboard, key_id, as, alone: () => latchkey.call(VERIFY, {}, headers) };
}

function statusesOf(answers: readonly Answer[]): number[] {
  return answers.map(({ status }) => status);
}

function limitOf({ headers }: Answer): number[] {
  return ["limit", "remaining"].map((name) => Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN));
}

describe("the limit of each user", () => {
  test("denies one user of a publishable key, and no other", async () => {
    const app = await newApp({ fields: { rate_limit: TWO_OF_FIVE } });
    const as = (sub: string) => app.verify(app.token({ sub }));
    expect(statusesOf([await as("anna"), await as("anna"), await as("anna")])).toEqual([200, 200, 429]);
    expect(statusesOf([await as("ben"), await as("ben")])).toEqual([200, 200]);
    // The token is another one, and the user the same.
    expect((await app.verify(app.token({ sub: "anna", jti: "other" }))).status).toBe(429);
  });

  test("denies the user for whom a secret key acts, and a request without a user spends only the key's", async () => {
    const { as, alone } = await secretKey(TWO_OF_FIVE);
    expect(statusesOf([await as("anna"), await as("anna"), await as("anna")])).toEqual([200, 200, 429]);
    const answers = [await alone(), await alone(), await alone(), await alone()];
    expect(statusesOf(answers)).toEqual([200, 200, 200, 429]);
    expect(answers[3]?.json.rate_limit).not.toHaveProperty("scope");
  });

  test("is reported with the scope user where it denies, in headers, body and detail, and a retry is admitted", async () => {
    const { as } = await secretKey(TWO_OF_FIVE);
    for (let n = 0; n < 2; n++) await as("anna");
    const denied = await as("anna");
    expect(denied.status).toBe(429);
    expect(limitOf(denied)).toEqual([2, 0]);
    expect(denied.json).toMatchObject({ code: "resource_exhausted", denial_reason: "rate_limited" });
    expect(denied.json.message).toMatch(/^This user exceeded the rate limit of each user of this API key; wait /);
    const reset = Number(denied.headers.get("x-ratelimit-reset"));
    const reset_at = new Date(reset * 1_000).toISOString().replace(".000Z", "Z");
    expect(denied.json.rate_limit).toEqual({ limit: 2, remaining: 0, reset_at, scope: "user" });
    expect(denied.json.details[0].debug.rate_limit).toEqual(denied.json.rate_limit);
    latchkey.clock.advance(Number(denied.headers.get("retry-after")) * 1_000);
    expect((await as("anna")).status).toBe(200);
  });

  test("is reported by an admitted request where it is the tighter one, and only then with the scope", async () => {
    const { as } = await secretKey(TWO_OF_FIVE);
    expect((await as("anna")).json.rate_limit).toMatchObject({ limit: 2, remaining: 1, scope: "user" });
    for (const user of ["anna", "ben", "ben"]) await as(user);
    const { json } = await as("carl");
    expect(json.rate_limit).toMatchObject({ limit: 5, remaining: 0 });
    expect(json.rate_limit).not.toHaveProperty("scope");
  });

  test("spends nothing of the key where it denies, and the key nothing of the user", async () => {
    const { as, alone, dashboard, key_id } = await secretKey(TWO_OF_FIVE);
    for (let n = 0; n < 9; n++) await as("anna");
    expect(limitOf(await alone())).toEqual([5, 2]);
    await alone();
    await alone();
    for (let n = 0; n < 9; n++) expect((await as("ben")).json.rate_limit).not.toHaveProperty("scope");
    const raised = { requests_per_minute: 100 };
    await dashboard.result("update", { key_id, rate_limit: raised, update_mask: "rate_limit.requests_per_minute" });
    expect(statusesOf([await as("ben"), await as("ben"), await as("ben")])).toEqual([200, 200, 429]);
  });

  test("counts no user that the key may not act for, and none in a header that is refused", async () => {
    const plain = await secretKey(TWO_OF_FIVE, ["conversations:read"]);
    for (let n = 0; n < 3; n++) expect((await plain.as("anna")).status).toBe(403);
    expect(limitOf(await plain.alone())).toEqual([5, 1]);
    const { as } = await secretKey(TWO_OF_FIVE);
    for (let n = 0; n < 3; n++) expect((await as("anna,ben")).status).toBe(400);
    expect((await as("anna")).status).toBe(200);
  });

  test("holds for a key without a limit of its own", async () => {
    const { as, alone } = await secretKey({ per_user: { requests_per_minute: 1 } });
    expect(statusesOf([await as("anna"), await as("anna"), await as("ben")])).toEqual([200, 429, 200]);
    const answers = [await alone(), await alone(), await alone()];
    expect(statusesOf(answers)).toEqual([200, 200, 200]);
    expect(limitOf(answers[0] as Answer)).toEqual([2_147_483_647, 2_147_483_647]);
  });

  test("admits exactly N of each user among 300 requests at once, and the key's N in all", async () => {
    latchkey.clock.stand();
    const { as } = await secretKey({ requests_per_minute: 25, per_user: { requests_per_minute: 10 } });
    const users = ["a", "b", "c"];
    const calls = Array.from({ length: 300 }, async (_, n) => {
      const user = users[n % 3] ?? "";
      return { user, status: (await as(user, LIST)).status };
    });
    const admitted = (await Promise.all(calls)).filter(({ status }) => status === 200);
    expect(admitted).toHaveLength(25);
    for (const user of users) expect(admitted.filter((one) => one.user === user).length).toBeLessThanOrEqual(10);
  });

  test("starts again for a user whose windows have ended", async () => {
    const { as } = await secretKey(TWO_OF_FIVE);
    for (let n = 0; n < 3; n++) await as("anna");
    latchkey.clock.advance(60 * SECOND);
    expect(statusesOf([await as("anna"), await as("anna"), await as("anna")])).toEqual([200, 200, 429]);
  });
});

describe("per_user", () => {
  const PER_USER = { requests_per_minute: 2, requests_per_hour: 20, burst_size: 1 };

  test("is given back by get, list and rotation, and is absent where it is not set or only zeros", async () => {
    const dashboard = dashboardOf(latchkey);
    const own = { requests_per_minute: 5, requests_per_hour: 0, burst_size: 0 };
    const { key_id } = await dashboard.createKey({ rate_limit: { requests_per_minute: 5, per_user: PER_USER } });
    const limit = { ...own, per_user: PER_USER };
    expect((await dashboard.result("get", { key_id })).rate_limit).toEqual(limit);
    const successor = await dashboard.result("rotate", { key_id });
    expect((await dashboard.result("get", { key_id: successor.key_id })).rate_limit).toEqual(limit);
    const { keys } = (await dashboard.call("list", {})).json;
    expect(keys.map(({ rate_limit }: { rate_limit: object }) => rate_limit)).toEqual([limit, limit]);
    for (const per_user of [{}, null, undefined, { requests_per_hour: 0 }]) {
      const plain = await dashboard.createKey({ rate_limit: { requests_per_minute: 5, per_user } });
      expect((await dashboard.result("get", { key_id: plain.key_id })).rate_limit).toEqual(own);
    }
  });

  test("is in the audit trail's changes", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey({ rate_limit: { requests_per_minute: 5 } });
    const rate_limit = { per_user: PER_USER };
    await dashboard.result("update", { key_id, rate_limit, update_mask: "rate_limit.per_user" });
    const [event] = await eventsOf(latchkey, dashboard.tenant, { target_id: key_id, action: "api_key.updated" });
    expect(event?.changes.rate_limit.new.per_user).toEqual(PER_USER);
    expect(event?.changes.rate_limit.old).not.toHaveProperty("per_user");
  });

  test("is explained, and does not affect the decision", async () => {
    const dashboard = dashboardOf(latchkey);
    const fields = { ...PUBLISHABLE, rate_limit: { per_user: PER_USER } };
    const { key_id } = await dashboard.createKey(fields);
    const { json } = await latchkey.call(VERIFY, { explain: true, key_id }, await latchkey.dashboard(dashboard.tenant));
    const step = json.explanation.steps.find(({ name }: { name: string }) => name === "rate_limit");
    expect(step).toEqual({
      name: "rate_limit",
      passed: true,
      detail: "The key has no limit. Each user has a limit of their own beside it.",
    });
  });

  test.each([
    [{ per_user: 5 }, "rate_limit.per_user"],
    [{ per_user: { requests_per_minute: -1 } }, "rate_limit.per_user.requests_per_minute"],
    [{ per_user: { requests_per_day: 1 } }, "rate_limit.per_user"],
    [{ per_user: { burst_size: 2_147_483_648 } }, "rate_limit.per_user.burst_size"],
  ])("that is wrong (%j) is a 400 that names it", async (rate_limit, field) => {
    const dashboard = dashboardOf(latchkey);
    const { status, json } = await dashboard.call("create", { name: "x", permissions: ["users:read"], rate_limit });
    expect(status).toBe(400);
    expect(json.message).toContain(field);
  });
});
