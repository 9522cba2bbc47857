import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { Caps, RateLimit } from "../../src/domain/limits/caps.ts";
import type { LimitDecision } from "../../src/domain/limits/decision.ts";
import type { Spending } from "../../src/domain/limits/limiter.ts";

/** A sequence of requests with one key, or with two that share its budget, each with its expected decision. */
export interface Vector {
  readonly name: string;
  readonly steps: readonly Step[];
}

export interface Step {
  readonly at: Date;
  readonly limit: RateLimit;
  readonly spending: Spending;
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
  readonly limit: FileCaps & { readonly perUser?: FileCaps };
  readonly user?: string;
  readonly cost?: number;
  readonly shared?: boolean;
  readonly times?: number;
  readonly expected: FileState &
    ({ readonly kind: "allow" } | { readonly kind: "deny"; readonly retryAfterSeconds?: number });
}

interface FileState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAtMs: number;
  readonly scope?: "user";
}

interface FileCaps {
  readonly rpm: number;
  readonly rph: number;
  readonly burst: number;
}

function stepOf({ atMs, limit, user, cost, shared, times = 1, expected }: FileStep): Step {
  const { resetAtMs, ...rest } = expected;
  return {
    at: new Date(EPOCH_MS + atMs),
    limit: { ...capsOf(limit), ...(limit.perUser && { perUser: capsOf(limit.perUser) }) },
    spending: { user, ...(cost !== undefined && { cost }), ...(shared !== undefined && { isShared: shared }) },
    times,
    expected: { ...rest, resetAt: new Date(EPOCH_MS + resetAtMs) },
  };
}

function capsOf({ rpm, rph, burst }: FileCaps): Caps {
  return { requestsPerMinute: rpm, requestsPerHour: rph, burstSize: burst };
}

/** Runs a vector against an implementation. */
export async function replay(
  vector: Vector,
  takeAt: (limit: RateLimit, at: Date, spending: Spending) => LimitDecision | Promise<LimitDecision>,
): Promise<void> {
  for (const [index, { at, limit, spending, times, expected }] of vector.steps.entries()) {
    for (let n = 1; n < times; n++) {
      expect((await takeAt(limit, at, spending)).kind, `step ${index}, request ${n} of ${times}`).toBe(expected.kind);
    }
    expect(await takeAt(limit, at, spending), `step ${index}`).toEqual(expected);
  }
}
