import { Writable } from "node:stream";
import { pino } from "pino";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { NO_SUSPENSION } from "../../../test/harness/memory-admission.ts";
import { newKey } from "../../../test/store/records.ts";
import { createAdmission } from "./admission.ts";
import { connectLimiter } from "./connect-limiter.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const HOURLY = { requestsPerMinute: 0, requestsPerHour: 2, burstSize: 0 };

function withoutRedis(clock = () => NOW) {
  const log = pino(new Writable());
  return connectLimiter(null, {
    log,
    error: () => {},
    warn: () => {},
    metrics: new Registry(),
    clock,
    redisClock: undefined,
    redisTimeoutMs: 1_000,
  });
}

test("without Redis this process limits by its own clock", async () => {
  let now = NOW;
  const { limiter, close } = await withoutRedis(() => now);
  const kinds = async () => (await limiter.take("key_1", HOURLY)).kind;
  expect([await kinds(), await kinds(), await kinds()]).toEqual(["allow", "allow", "deny"]);
  now = new Date(NOW.getTime() + 3_600_000);
  expect(await kinds()).toBe("allow");
  close();
});

test("a key is looked up with the time of its look-up, and spends only what is taken", async () => {
  const { record, secretHash } = newKey({ rateLimit: HOURLY });
  let now = NOW;
  const { limiter } = await withoutRedis();
  const keys = {
    async findKeyBySecretHash(hash: string) {
      now = new Date(NOW.getTime() + 5);
      return hash === secretHash ? record : undefined;
    },
  };
  const admission = createAdmission({ keys, tenants: NO_SUSPENSION, limiter, clock: () => now });
  const presented = await admission.find(secretHash);
  // After the record was read: a key that ends in between has ended.
  expect(presented).toEqual({ key: record, at: new Date(NOW.getTime() + 5), isTenantSuspended: false });
  if (presented === undefined) throw new Error("The key was not found.");
  expect(await admission.peek(presented)).toMatchObject({ limit: 2, remaining: 2 });
  expect(await admission.take(presented, { userId: null, cost: 1 })).toMatchObject({ kind: "allow", remaining: 1 });
  expect(await admission.peek(presented)).toMatchObject({ remaining: 1 });
  expect(await admission.find(newKey().secretHash)).toBeUndefined();
});

test("what is in memory is found without a promise", async () => {
  const { record, secretHash } = newKey();
  const { limiter } = await withoutRedis();
  const keys = { findKeyBySecretHash: () => record };
  const tenants = { findTenant: () => ({ isSuspended: true }) };
  const admission = createAdmission({ keys, tenants, limiter, clock: () => NOW });
  expect(admission.find(secretHash)).toEqual({ key: record, at: NOW, isTenantSuspended: true });
});
