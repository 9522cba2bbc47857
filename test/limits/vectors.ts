import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { RateLimit } from "../../src/domain/keys/key.ts";
import type { LimitDecision } from "../../src/domain/limits/decision.ts";

/** A sequence of requests with one key, each with its expected decision. */
export interface Vector {
  readonly name: string;
  readonly steps: readonly Step[];
}

export interface Step {
  readonly at: Date;
  readonly limit: RateLimit;
  /** The number of equal requests in a row; `expected` is the decision of the last one. */
  readonly times: number;
  readonly expected: LimitDecision;
}

/** Instants in the file are relative to this one, a whole second. */
const EPOCH_MS = 1_800_000_000_000;

/** The hand-written vectors that every implementation of the limiter must pass. */
export const vectors: readonly Vector[] = parse(readFileSync(new URL("vectors.json", import.meta.url), "utf8"));

function parse(text: string): Vector[] {
  const file = JSON.parse(text) as readonly { name: string; steps: readonly FileStep[] }[];
  return file.map(({ name, steps }) => ({ name, steps: steps.map(stepOf) }));
}

interface FileStep {
  readonly atMs: number;
  readonly limit: { readonly rpm: number; readonly rph: number; readonly burst: number };
  readonly times?: number;
  readonly expected: { readonly limit: number; readonly remaining: number; readonly resetAtMs: number } & (
    | { readonly kind: "allow" }
    | { readonly kind: "deny"; readonly retryAfterSeconds: number }
  );
}

function stepOf({ atMs, limit, times = 1, expected: { resetAtMs, ...expected } }: FileStep): Step {
  return {
    at: new Date(EPOCH_MS + atMs),
    limit: { requestsPerMinute: limit.rpm, requestsPerHour: limit.rph, burstSize: limit.burst },
    times,
    expected: { ...expected, resetAt: new Date(EPOCH_MS + resetAtMs) },
  };
}

/** Runs a vector against an implementation. */
export async function replay(
  vector: Vector,
  takeAt: (limit: RateLimit, at: Date) => LimitDecision | Promise<LimitDecision>,
): Promise<void> {
  for (const [index, { at, limit, times, expected }] of vector.steps.entries()) {
    for (let n = 1; n < times; n++) {
      expect((await takeAt(limit, at)).kind, `step ${index}, request ${n} of ${times}`).toBe(expected.kind);
    }
    expect(await takeAt(limit, at), `step ${index}`).toEqual(expected);
  }
}
