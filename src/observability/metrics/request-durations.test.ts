import fc from "fast-check";
import { Histogram, Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import type { Outcome } from "../../transport/answer/answer-code.ts";
import { createRequestDurations } from "./request-durations.ts";

/** What dashboards and alerts are built on. */
const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const seconds = fc.oneof(
  fc.double({ min: 0, max: 0.1, noNaN: true }),
  fc.double({ min: 0, max: 100, noNaN: true }),
  fc.constantFrom(0, ...BUCKETS_S),
);
const observation = fc.tuple(
  fc.oneof(fc.constantFrom("", "latchkey.v1.AuthService/Verify", "auth/check"), fc.string({ unit: "binary" })),
  fc.constantFrom<Outcome>(
    { status: 200, code: "ok" },
    { status: 200, code: "unauthenticated" },
    { status: 401, code: "unauthenticated" },
  ),
  fc.constantFrom("", "api_key_revoked", "rate_limited"),
  seconds,
);

function createPair() {
  const ours = new Registry();
  const theirs = new Registry();
  const histogram = new Histogram({
    name: "latchkey_request_duration_seconds",
    help: "Time from a request's headers to its answer, by RPC, HTTP status, code and reason of denial.",
    labelNames: ["procedure", "status", "code", "denial_reason"],
    buckets: BUCKETS_S,
    registers: [theirs],
  });
  return { ours, durations: createRequestDurations(ours), theirs, histogram };
}

describe("the histogram of request durations", () => {
  test("is shown as prom-client's own would be, byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(observation, { maxLength: 50 }), async (observations) => {
        const { ours, durations, theirs, histogram } = createPair();
        for (const [procedure, outcome, reason, value] of observations) {
          durations.observe(procedure, outcome, reason, value);
          histogram.labels(procedure, String(outcome.status), outcome.code, reason).observe(value);
        }
        expect(await ours.metrics()).toBe(await theirs.metrics());
        expect(await theirs.getMetricsAsJSON()).toMatchObject(await ours.getMetricsAsJSON());
      }),
    );
  });

  test("begins anew when its registry is reset", async () => {
    const { ours, durations } = createPair();
    const empty = await ours.metrics();
    durations.observe("p", { status: 200, code: "ok" }, "", 31);
    const one = await ours.metrics();
    ours.resetMetrics();
    expect(await ours.metrics()).toBe(empty);
    durations.observe("p", { status: 200, code: "ok" }, "", 31);
    expect(await ours.metrics()).toBe(one);
  });

  test("is the only one of its name in a registry", () => {
    const { ours } = createPair();
    expect(() => createRequestDurations(ours)).toThrow("already been registered");
  });
});
