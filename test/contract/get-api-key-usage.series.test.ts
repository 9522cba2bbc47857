// promise: usage.series
import { expect, test } from "vitest";
import { type Dashboard, dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";
import { countersOf, outcomesOf, usedSteps } from "../harness/usage-series.ts";

const LIST = "/api/v1/llm/gateway/list-threads";
const DAY = 24 * HOUR;

const latchkey = await sharedLatchkey();

/** When the step of so long ago began, as a response has it. */
function begin(lengthMs: number, agoMs = 0): string {
  const now = latchkey.clock.now().getTime() - agoMs;
  return new Date(Math.floor(now / lengthMs) * lengthMs).toISOString().replace(".000Z", "Z");
}

/** Moves the clock so that the hour does not end during the test. */
function earlyInAnHour(): void {
  latchkey.clock.advance(HOUR - (latchkey.clock.now().getTime() % HOUR) + 1_000);
}

/** A key, and a function that sends a request with it. */
async function newKey(dashboard: Dashboard, fields: object = {}) {
  const { key, key_id } = await dashboard.createKey({ permissions: ["conversations:read"], ...fields });
  const use = async (path = LIST, body: unknown = {}): Promise<number> =>
    (await latchkey.call(path, body, { "x-api-key": key })).status;
  return { key_id, use };
}

async function usageOf(dashboard: Dashboard, body: object) {
  const { status, json, text } = await dashboard.call("usage", body);
  expect(status, text).toBe(200);
  return json;
}

test("an unused key has a series of zeros: each hour of the last day, and the current one", async () => {
  earlyInAnHour();
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await newKey(dashboard);
  const { result, series } = await usageOf(dashboard, { key_id, step: "hour" });
  expect(result).toEqual({ total_verifications: 0, successful_verifications: 0, failed_verifications: 0 });
  expect(series).toHaveLength(25);
  expect(series[0]).toStrictEqual({ from: begin(HOUR, DAY), successful: 0, denied: {} });
  expect(series.at(-1)).toStrictEqual({ from: begin(HOUR), successful: 0, denied: {} });
});

test("a response has a series only if one of from, to and step is asked for", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id, use } = await newKey(dashboard);
  await use();
  const now = latchkey.clock.now().toISOString();
  const yesterday = new Date(latchkey.clock.now().getTime() - DAY).toISOString();
  for (const absent of [{}, { from: null, to: null, step: null }])
    expect(Object.keys(await usageOf(dashboard, { key_id, ...absent }))).toEqual(["result"]);
  for (const member of [{ from: yesterday }, { to: now }, { step: "hour" }, { step: "day" }])
    expect(Object.keys(await usageOf(dashboard, { key_id, ...member }))).toEqual(["result", "series"]);
});

test("each request is in the hour in which it was made, and in the day", async () => {
  earlyInAnHour();
  const dashboard = dashboardOf(latchkey);
  const { key_id, use } = await newKey(dashboard);
  await use();
  latchkey.clock.advance(2 * HOUR);
  for (let n = 0; n < 3; n++) await use();
  const { result, series } = await usageOf(dashboard, { key_id, step: "hour" });
  expect(usedSteps(series)).toEqual({
    [begin(HOUR, 2 * HOUR)]: { successful: 1, denied: {} },
    [begin(HOUR)]: { successful: 3, denied: {} },
  });
  expect(result).toEqual(countersOf(series));
  latchkey.clock.advance(DAY);
  const days = await usageOf(dashboard, { key_id, step: "day" });
  expect(days.series).toHaveLength(31);
  expect(days.series.at(-1).from).toBe(begin(DAY));
  expect(countersOf(days.series)).toEqual(result);
});

test("what is denied is counted by its denial_reason, and a wrong path or method as not_found", async () => {
  earlyInAnHour();
  const dashboard = dashboardOf(latchkey);
  const { key_id, use } = await newKey(dashboard, { rate_limit: { requests_per_minute: 4 } });
  expect(await use()).toBe(200);
  expect(await use(LIST, { page: -1 })).toBe(400);
  for (const path of ["/api/v1/llm/gateway/send-message", "/api/v1/api-keys/list"]) expect(await use(path)).toBe(403);
  expect(await use()).toBe(429);
  expect(await use("/api/v1/none")).toBe(404);
  await dashboard.result("disable", { key_id });
  expect(await use()).toBe(401);
  await dashboard.result("revoke", { key_id });
  for (let n = 0; n < 2; n++) expect(await use()).toBe(401);
  const { result, series } = await usageOf(dashboard, { key_id, step: "hour" });
  expect(outcomesOf(series)).toEqual({
    successful: 2,
    insufficient_scope: 2,
    rate_limited: 1,
    not_found: 1,
    api_key_disabled: 1,
    api_key_revoked: 2,
  });
  expect(result).toEqual(countersOf(series));
});

test("a period has the steps from that of from to the last one that begins before to, and the counters have all", async () => {
  earlyInAnHour();
  const dashboard = dashboardOf(latchkey);
  const { key_id, use } = await newKey(dashboard);
  for (let n = 0; n < 3; n++) {
    await use();
    latchkey.clock.advance(HOUR);
  }
  const from = begin(HOUR, 2 * HOUR);
  const { result, series } = await usageOf(dashboard, {
    key_id,
    from: from.replace(":00:00Z", ":59:59Z"),
    to: begin(HOUR),
  });
  expect(series).toEqual([
    { from, successful: 1, denied: {} },
    { from: begin(HOUR, HOUR), successful: 1, denied: {} },
  ]);
  expect(result.total_verifications).toBe(3);
  const past = await usageOf(dashboard, {
    key_id,
    from: "2020-01-01T00:00:00Z",
    to: "2020-01-03T00:00:00Z",
    step: "day",
  });
  expect(past.series).toEqual(
    ["2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z"].map((day) => ({ from: day, successful: 0, denied: {} })),
  );
});

test("a series includes every request whose response was sent before", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id, use } = await newKey(dashboard);
  for (let n = 1; n <= 20; n++) {
    await use();
    const { result, series } = await usageOf(dashboard, { key_id, step: "hour" });
    expect(result.total_verifications).toBe(n);
    expect(countersOf(series)).toEqual(result);
  }
});
