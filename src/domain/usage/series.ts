import type { KeyUsage } from "../credentials/key.ts";
import { stepsOf, type UsagePeriod } from "./period.ts";
import type { UseFailure } from "./uses.ts";

/** Uses of one step that ended alike. */
export interface StepUses {
  /** When the step began. */
  readonly from: Date;
  /** Null: they were successful. */
  readonly failure: UseFailure | null;
  readonly count: number;
}

/** The uses of one step. */
export interface SeriesStep {
  readonly from: Date;
  readonly successful: number;
  /** How many failed, by the reason; a reason that did not occur is absent. */
  readonly denied: ReadonlyMap<UseFailure, number>;
}

/** Every step of a period in its order, also those without a use. */
export function seriesOf(period: UsagePeriod, uses: readonly StepUses[]): SeriesStep[] {
  const steps = new Map(
    stepsOf(period).map((from) => [from.getTime(), { from, successful: 0, denied: new Map<UseFailure, number>() }]),
  );
  for (const { from, failure, count } of uses) {
    const step = steps.get(from.getTime());
    if (step === undefined) throw new Error(`a use at ${from.toISOString()} is in no step of its period`);
    if (failure === null) step.successful += count;
    else step.denied.set(failure, (step.denied.get(failure) ?? 0) + count);
  }
  return [...steps.values()];
}

/** The counters of a series. */
export function totalsOf(uses: readonly StepUses[]): KeyUsage {
  const successful = sum(uses.filter(({ failure }) => failure === null));
  const failed = sum(uses.filter(({ failure }) => failure !== null));
  return { total: successful + failed, successful, failed };
}

function sum(uses: readonly StepUses[]): number {
  return uses.reduce((before, { count }) => before + count, 0);
}
