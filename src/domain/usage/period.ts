import { faultOf, quotable } from "../vocabulary/request-fault.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** The first instant that a response can name. */
const EARLIEST_MS = Date.parse("0001-01-01T00:00:00Z");

/** The length of the parts in which usage is returned. Hours and days are those of UTC. */
export type UsageStep = keyof typeof STEPS;

/** The length of a step, and how far back a period reaches whose begin is not given. */
const STEPS = {
  hour: { ms: HOUR_MS, defaultMs: 24 * HOUR_MS },
  day: { ms: DAY_MS, defaultMs: 30 * DAY_MS },
} as const;

/** Maximum number of steps of a period: 100 days of hours. */
export const STEPS_MAX = 2_400;

/** A period of whole steps. */
export interface UsagePeriod {
  readonly step: UsageStep;
  /** When the first step begins. */
  readonly from: Date;
  /** When the step after the last one would begin. */
  readonly to: Date;
}

/** What a request says of a period. Null: nothing. */
export interface PeriodInput {
  readonly from: Date | null;
  readonly to: Date | null;
  readonly step: string | null;
}

/**
 * The steps that a request asks for: from the one that contains `from`, to the last one that begins before `to`. Without
 * `to` the last one is that of `now`; without `from` it reaches back 24 hours, or 30 days if the step is a day. Throws
 * `RequestFault` if it has no step, or more than 2,400.
 */
export function usagePeriod(input: PeriodInput, now: Date): UsagePeriod {
  const step = stepOf(input.step ?? "hour");
  const { ms, defaultMs } = STEPS[step];
  // A use at this very instant is one of the current step.
  const endMs = input.to?.getTime() ?? now.getTime() + 1;
  const beginMs = input.from?.getTime() ?? Math.max(endMs - defaultMs, EARLIEST_MS);
  if (beginMs >= endMs)
    throw faultOf("invalid_period", "from", input.to === null ? "must be in the past" : "must be before to");
  const fromMs = Math.floor(beginMs / ms) * ms;
  const toMs = Math.ceil(endMs / ms) * ms;
  const steps = (toMs - fromMs) / ms;
  if (steps > STEPS_MAX) {
    const problem = `must be later: from there to the end are ${steps} steps of one ${step}, and ${STEPS_MAX} is the most`;
    throw faultOf("invalid_period", "from", problem);
  }
  return { step, from: new Date(fromMs), to: new Date(toMs) };
}

/** When each step of a period begins. */
export function stepsOf({ step, from, to }: UsagePeriod): Date[] {
  const { ms } = STEPS[step];
  const count = (to.getTime() - from.getTime()) / ms;
  return Array.from({ length: count }, (_, n) => new Date(from.getTime() + n * ms));
}

function stepOf(text: string): UsageStep {
  if (text === "hour" || text === "day") return text;
  throw faultOf("invalid_period", "step", `must be hour or day, not ${text === "" ? "empty" : `"${quotable(text)}"`}`);
}
