// promise: limits.default
import { afterEach, expect, inject, test } from "vitest";
import { type Fleet, startFleet } from "../harness/fleet.ts";

let fleet: Fleet;

afterEach(() => fleet?.close());

test("DEFAULT_REQUESTS_PER_MINUTE is the limit of new keys without one, and of no other keys", async () => {
  fleet = await startFleet(inject("redisUrl"));
  const [plain, limiting] = [await fleet.start(), await fleet.start({ DEFAULT_REQUESTS_PER_MINUTE: "3" })];
  const dashboard = await fleet.dashboard();
  const limitOf = async (keyId: string) =>
    (await plain.call("/api/v1/api-keys/get", { key_id: keyId }, dashboard)).json.result.rate_limit;
  const none = { requests_per_minute: 0, requests_per_hour: 0, burst_size: 0 };

  const old = await fleet.createKey(plain);
  const silent = await fleet.createKey(limiting);
  const explicit = await fleet.createKey(limiting, { rate_limit: {} });
  const hourly = await fleet.createKey(limiting, { rate_limit: { requests_per_hour: 5 } });
  expect(await limitOf(old.key_id)).toEqual({ ...none, unlimited: true });
  expect(await limitOf(silent.key_id)).toEqual({ ...none, requests_per_minute: 3 });
  expect(await limitOf(explicit.key_id)).toEqual({ ...none, unlimited: true });
  expect(await limitOf(hourly.key_id)).toEqual({ ...none, requests_per_hour: 5 });

  // The limit is stored with the key, so that replicas with another default agree.
  const use = () => plain.call("/api/v1/auth/verify", {}, { "x-api-key": silent.key });
  const answers = [await use(), await use(), await use(), await use()];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(answers[0]?.headers.get("x-ratelimit-limit")).toBe("3");
});
