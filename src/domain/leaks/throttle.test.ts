// promise: leaks.limits
import fc from "fast-check";
import { expect, test } from "vitest";
import { createThrottle } from "./throttle.ts";

const BOUNDS = { perAddress: 5, total: 12 };

test("no address and not all together get more than their bounds in any window, whatever they ask for", () => {
  const ask = fc.record({
    afterMs: fc.integer({ min: 0, max: 20_000 }),
    address: fc.constantFrom("192.0.2.1", "192.0.2.2", "192.0.2.3", "2001:db8::1", "2001:db8::2", null),
    cost: fc.integer({ min: 1, max: 6 }),
  });
  fc.assert(
    fc.property(fc.array(ask, { maxLength: 60 }), (asks) => {
      let nowMs = 1_000;
      const throttle = createThrottle(() => new Date(nowMs), BOUNDS);
      let windowMs = Number.NEGATIVE_INFINITY;
      let taken: { client: string; cost: number }[] = [];
      for (const { afterMs, address, cost } of asks) {
        nowMs += afterMs;
        if (nowMs >= windowMs + 60_000) [windowMs, taken] = [nowMs, []];
        const client = address?.startsWith("2001") ? "2001:db8::/64" : String(address);
        const sum = (own: typeof taken) => own.reduce((total, each) => total + each.cost, cost);
        const fits = sum(taken.filter((each) => each.client === client)) <= 5 && sum(taken) <= 12;
        const denied = throttle(address, cost);
        expect(denied === null).toBe(fits);
        if (fits) taken.push({ client, cost });
        else expect(denied?.retryAfterSeconds).toBe(Math.max(1, Math.ceil((windowMs + 60_000 - nowMs) / 1_000)));
      }
    }),
  );
});

test("what is denied is free again after Retry-After, and not before", () => {
  let nowMs = 5_500;
  const throttle = createThrottle(() => new Date(nowMs), BOUNDS);
  throttle("192.0.2.1", 5);
  nowMs += 10_000;
  expect(throttle("192.0.2.1", 1)).toEqual({
    limit: 5,
    remaining: 0,
    resetAt: new Date(66_000),
    retryAfterSeconds: 50,
  });
  nowMs += 49_999;
  expect(throttle("192.0.2.1", 1)).not.toBeNull();
  nowMs += 1;
  expect(throttle("192.0.2.1", 5)).toBeNull();
});

test("a clock that is set back does not keep clients out for longer than a minute", () => {
  let nowMs = 1_000_000;
  const throttle = createThrottle(() => new Date(nowMs), BOUNDS);
  throttle(null, 5);
  nowMs = 0;
  expect(throttle(null, 5)).toBeNull();
});
