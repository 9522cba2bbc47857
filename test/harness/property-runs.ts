import type * as FastCheck from "fast-check";
import { vi } from "vitest";

/** A property gets a fifth of the runs that its test asks for; with PROPERTY_RUNS=10, 10 times as many. */
const FACTOR = Number(process.env.PROPERTY_RUNS ?? 0.2);
/** One seed, so that `npm test` never fails by luck; with PROPERTY_RUNS, another one each time. A failure prints its seed. */
const SEED = process.env.PROPERTY_RUNS === undefined ? 20_260_301 : undefined;
/** Tests time out after 120 s. A property that would take longer ends before that, with the runs it had. */
const ENOUGH_MS = 90_000;

vi.mock("fast-check", async (importOriginal) => {
  const { default: fc } = await importOriginal<typeof FastCheck>();
  if (SEED !== undefined) fc.configureGlobal({ seed: SEED });
  const assert = <Ts>(property: FastCheck.IRawProperty<Ts>, parameters?: FastCheck.Parameters<Ts>) =>
    fc.assert(property, {
      interruptAfterTimeLimit: ENOUGH_MS,
      ...parameters,
      numRuns: Math.ceil((parameters?.numRuns ?? 100) * FACTOR),
    });
  return { default: { ...fc, assert } };
});
