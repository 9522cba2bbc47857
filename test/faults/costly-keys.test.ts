// promise: tokens.turns
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClientApp, type PublishableService, startPublishable } from "../harness/publishable.ts";
import { generateKey } from "../jwks/provider.ts";

const ROUNDS = 20;
/** Another tenant's calls in a round: a hundred a second, from the moment at which the forged tokens arrive. */
const CALLS = 100;
const CALL_EVERY_MS = 10;
const FORGED_AT_ONCE = 40;
const TIMEOUT_MS = 300_000;

let service: PublishableService;
beforeAll(async () => {
  service = await startPublishable();
});
afterAll(() => service.latchkey.close());

/** How long an app's calls take, in milliseconds, each with a token that was not seen before, while forged ones arrive. */
async function callsBeside(app: ClientApp, flooded: ClientApp, forged?: string): Promise<number[]> {
  const tokens = Array.from({ length: CALLS }, () => app.token({ jti: randomUUID() }));
  const forgedCalls = forged === undefined ? undefined : sendForged(flooded, forged);
  const beganMs = performance.now();
  const calls: Promise<number>[] = [];
  for (const [n, token] of tokens.entries()) {
    await sleep(Math.max(0, beganMs + n * CALL_EVERY_MS - performance.now()));
    calls.push(timed(app, token));
  }
  await forgedCalls;
  return Promise.all(calls);
}

async function timed(app: ClientApp, token: string): Promise<number> {
  const startMs = performance.now();
  const { status } = await app.verify(token);
  expect(status).toBe(200);
  return performance.now() - startMs;
}

function p99(tookMs: readonly number[]): number {
  return tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length * 0.99)] ?? Number.NaN;
}

async function sendForged(app: ClientApp, forged: string): Promise<void> {
  const answers = await Promise.all(Array.from({ length: FORGED_AT_ONCE }, () => app.verify(forged)));
  expect(new Set(answers.map(({ json }) => json.denial_reason))).toEqual(new Set(["jwt_invalid_signature"]));
}

/**
 * Compared with calls on their own, and with calls beside forty forged tokens of which none is checked: other work on the
 * machine disturbs sometimes the ones, sometimes the others.
 */
// threat: H16
test(
  "forty forged tokens at once for eight P-521 keys of one id at most double the p99 of another tenant's calls",
  async () => {
    const costly = await service.newApp({ keys: Array.from({ length: 8 }, () => generateKey("ES512")) });
    const stranger = generateKey("ES512");
    const forged = costly.token({}, stranger);
    const uncheckable = costly.token({}, stranger, { alg: "none" });
    const other = await service.newApp();
    await callsBeside(other, costly, forged);
    const alone: number[] = [];
    const unchecked: number[] = [];
    const checked: number[] = [];
    // In turns, so that what else the machine does disturbs all of them.
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(...(await callsBeside(other, costly)));
      unchecked.push(...(await callsBeside(other, costly, uncheckable)));
      checked.push(...(await callsBeside(other, costly, forged)));
    }
    const figures = Object.entries({ alone, unchecked, checked }).map(
      ([name, took]) => `${name} ${p99(took).toFixed(1)}`,
    );
    console.log(`p99 in ms: ${figures.join(", ")}`);
    expect(p99(checked)).toBeLessThan(2 * Math.max(p99(alone), p99(unchecked)));
  },
  TIMEOUT_MS,
);
