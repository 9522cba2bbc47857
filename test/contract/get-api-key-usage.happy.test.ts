// promise: usage.complete
import { expect, test } from "vitest";
import { dashboardOf, instant } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();

test("the counters of an unused key are zeros, as numbers", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  const answer = await dashboard.call("usage", { key_id });
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text)).toStrictEqual({
    result: { total_verifications: 0, successful_verifications: 0, failed_verifications: 0 },
  });
  expect(answer.text).not.toMatch(/"\d+"|-0|0\.0/);
});

test("get and list include the last use of a key right after it", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey({ permissions: ["conversations:read"] });
  const use = async () => {
    latchkey.clock.advance(25 * HOUR);
    const begunAt = instant(latchkey, 0);
    await latchkey.call("/api/v1/llm/gateway/list-threads", {}, { "x-api-key": key });
    return begunAt;
  };
  expect(await dashboard.result("get", { key_id })).not.toHaveProperty("last_used_at");
  const first = await use();
  expect((await dashboard.result("get", { key_id })).last_used_at >= first).toBe(true);
  const second = await use();
  expect((await dashboard.call("list", {})).json.keys[0].last_used_at >= second).toBe(true);
});

test("management calls about a key do not count as its use", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  await dashboard.result("get", { key_id });
  await dashboard.result("disable", { key_id });
  await dashboard.result("enable", { key_id });
  await dashboard.call("list", {});
  expect((await dashboard.result("usage", { key_id })).total_verifications).toBe(0);
});

test("the total is the sum of its parts", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey({ permissions: ["conversations:read"] });
  const headers = { "x-api-key": key };
  await latchkey.call("/api/v1/llm/gateway/list-threads", {}, headers);
  await latchkey.call("/api/v1/llm/gateway/send-message", {}, headers);
  const usage = await dashboard.result("usage", { key_id });
  expect(usage.total_verifications).toBe(usage.successful_verifications + usage.failed_verifications);
});

test("usage is available for a key in any state", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  await dashboard.result("rotate", { key_id, grace_period_hours: 0 });
  await dashboard.result("usage", { key_id });
  await dashboard.result("disable", { key_id });
  await dashboard.result("usage", { key_id });
  await dashboard.result("revoke", { key_id });
  expect(Object.keys(await dashboard.result("usage", { key_id })).sort()).toEqual([
    "failed_verifications",
    "successful_verifications",
    "total_verifications",
  ]);
});
