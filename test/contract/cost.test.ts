// promise: limits.cost
import { describe, expect, test } from "vitest";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const VERIFY = "/api/v1/auth/verify";

const latchkey = await sharedLatchkey();

async function limitedKey(rate_limit: object) {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey({ rate_limit, permissions: ["plans:*"] });
  return { dashboard, key_id, headers: { "x-api-key": key } };
}

/** The ways to send a cost, each with the remaining requests of the answer and its status. */
const WAYS = {
  "in the body of verify": (headers: Record<string, string>, cost: number) => latchkey.call(VERIFY, { cost }, headers),
  "on Connect's path, with a deadline": (headers: Record<string, string>, cost: number) =>
    latchkey.call("/latchkey.v1.AuthService/Verify", { cost }, { ...headers, "connect-timeout-ms": "10000" }),
  "in the query of /auth/check": (headers: Record<string, string>, cost: number) =>
    latchkey.call(`/auth/check?scope=plans:read&cost=${cost}&path=/x?cost=900`, {}, headers),
};

describe.each(Object.entries(WAYS))("a cost %s", (_, send) => {
  test("is spent in one step, all or nothing", async () => {
    const { headers } = await limitedKey({ requests_per_minute: 10 });
    const left = async (cost: number) => {
      const { status, headers: sent } = await send(headers, cost);
      return [status, Number(sent.get("x-ratelimit-remaining"))];
    };
    expect(await left(4)).toEqual([200, 6]);
    expect(await left(7)).toEqual([429, 0]);
    expect(await left(6)).toEqual([200, 0]);
    expect(await left(1)).toEqual([429, 0]);
  });

  test("admits exactly as many of 100 requests at once as fit", async () => {
    const { headers } = await limitedKey({ requests_per_minute: 50 });
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(headers, 7)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
  });

  test("counts as one request in the key's usage", async () => {
    const { dashboard, key_id, headers } = await limitedKey({ requests_per_minute: 10 });
    await send(headers, 10);
    await send(headers, 10);
    expect(await dashboard.result("usage", { key_id })).toMatchObject({
      successful_verifications: 1,
      failed_verifications: 1,
    });
  });

  test("above the limit is denied without Retry-After, says why, and spends nothing", async () => {
    const { headers } = await limitedKey({ requests_per_minute: 100, burst_size: 10 });
    const denied = await send(headers, 11);
    expect([denied.status, denied.headers.get("retry-after")]).toEqual([429, null]);
    const rate_limit = { limit: 100, remaining: 0, reset_at: expect.any(String) };
    expect(denied.json).toMatchObject({ denial_reason: "rate_limited", rate_limit });
    expect(denied.json.message).toMatch(
      /^This request costs 11, and the limit of this API key never admits more than 10 at once; have the limit raised, or the cost lowered\./,
    );
    expect((await send(headers, 10)).status).toBe(200);
  });

  test("is nothing to a caller without a limit", async () => {
    const { headers } = await limitedKey({});
    expect((await send(headers, 1_000)).status).toBe(200);
    expect((await send(await latchkey.dashboard(), 1_000)).status).toBe(200);
  });

  test.each([0, -1, 1_001, 1.5, 4_294_967_297])("of %d is a 400 that names it, and costs 1", async (cost) => {
    const { headers } = await limitedKey({ requests_per_minute: 9 });
    const { status, json, headers: sent } = await send(headers, cost);
    expect([status, json.code, sent.get("x-ratelimit-remaining")]).toEqual([400, "invalid_argument", "8"]);
    expect(json.message).toMatch(/^cost: must be an integer from 1 to 1,?000/);
  });
});

describe("a cost in a query", () => {
  test.each(["cost=", "cost=a", "cost=01", "cost=1e2", "cost=+5", "cost=2&cost=3", "cost=5%20"])(
    "of %s is a 400 that names it",
    async (query) => {
      const { headers } = await limitedKey({ requests_per_minute: 9 });
      const { status, json } = await latchkey.call(`/auth/check?${query}`, {}, headers);
      expect([status, json.message]).toEqual([400, "cost: must be an integer from 1 to 1,000, once"]);
    },
  );
});

describe("the order of checks stays the same, though the body is read for its cost", () => {
  test.each([
    ["no JSON", "{"],
    ["a wrong member", { costs: 3 }],
    ["a wrong scope", { scope: "nope" }],
    ["too long", { scope: "x".repeat(1_100_000) }],
  ])("a body that is %s is a 429 where the limit denies, spends one where it admits", async (_, body) => {
    const { headers } = await limitedKey({ requests_per_minute: 2 });
    const answers = [
      await latchkey.call(VERIFY, body, headers),
      await latchkey.call(VERIFY, body, headers),
      await latchkey.call(VERIFY, body, headers),
    ];
    const [first, second, third] = answers.map(({ status, headers: sent }) => [
      status,
      sent.get("x-ratelimit-remaining"),
    ]);
    expect(first?.[0]).toBeOneOf([400, 413]);
    expect([first?.[1], second?.[1]]).toEqual(["1", "0"]);
    expect(third).toEqual([429, "0"]);
  });

  test("credentials that are refused are refused before the body is read, and spend nothing", async () => {
    const { headers } = await limitedKey({ requests_per_minute: 2 });
    const unknown = { "x-api-key": `${headers["x-api-key"].slice(0, -8)}00000000` };
    expect((await latchkey.call(VERIFY, "{", unknown)).status).toBe(401);
    expect((await latchkey.call(VERIFY, {}, headers)).headers.get("x-ratelimit-remaining")).toBe("1");
  });

  test("X-On-Behalf-Of that is refused comes before a fault of the body", async () => {
    const { headers } = await limitedKey({ requests_per_minute: 2 });
    const body = { scope: "x".repeat(1_100_000) };
    const { status, json } = await latchkey.call(VERIFY, body, { ...headers, "x-on-behalf-of": "anna" });
    expect([status, json.denial_reason]).toEqual([403, "insufficient_scope"]);
  });
});

test("explain decides with the cost, and says that one above the limit is never admitted", async () => {
  const { dashboard, key_id } = await limitedKey({ requests_per_minute: 5 });
  const user = await latchkey.dashboard(dashboard.tenant);
  const explained = async (cost: number) =>
    (await latchkey.call(VERIFY, { explain: true, key_id, cost }, user)).json.explanation;
  expect(await explained(5)).toMatchObject({ allowed: true });
  const { allowed, denial_reason, steps } = await explained(6);
  expect({ allowed, denial_reason }).toEqual({ allowed: false, denial_reason: "rate_limited" });
  const { detail } = steps.find(({ name }: { name: string }) => name === "rate_limit");
  expect(detail).toMatch(/ A request that costs 6 is never admitted\.$/);
});
