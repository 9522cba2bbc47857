import type * as FastCheck from "fast-check";
import { vi } from "vitest";

/** With PROPERTY_RUNS=10, each property gets 10 times the runs that its test asks for. */
const FACTOR = Number(process.env.PROPERTY_RUNS ?? 1);
/** Tests time out after 120 s. A property that would take longer ends before that, with the runs it had. */
const ENOUGH_MS = 90_000;

vi.mock("fast-check", async (importOriginal) => {
  const { default: fc } = await importOriginal<typeof FastCheck>();
  const assert = <Ts>(property: FastCheck.IRawProperty<Ts>, parameters?: FastCheck.Parameters<Ts>) =>
    fc.assert(property, {
      interruptAfterTimeLimit: ENOUGH_MS,
      ...parameters,
      numRuns: (parameters?.numRuns ?? 100) * FACTOR,
    });
  return { default: { ...fc, assert } };
});
