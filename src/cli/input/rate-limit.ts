import { InvalidArgumentError } from "commander";

/** A key's limits as requests have them. 0 is unlimited. */
export interface RateLimitInput {
  readonly requestsPerMinute: number;
  readonly requestsPerHour: number;
  readonly burstSize: number;
}

const UNLIMITED: RateLimitInput = { requestsPerMinute: 0, requestsPerHour: 0, burstSize: 0 };
const PARTS = {
  requestsPerMinute: /^(\d{1,10})\/min(?:ute)?$/,
  requestsPerHour: /^(\d{1,10})\/h(?:our)?$/,
  burstSize: /^burst=(\d{1,10})$/,
} as const satisfies Record<keyof RateLimitInput, RegExp>;
const NAMES = ["requestsPerMinute", "requestsPerHour", "burstSize"] as const;
const INT32_MAX = 2_147_483_647;

/** All limits of a key in one option, since the service replaces them as a whole: `60/min,1000/h,burst=10`, or `none`. */
export function parseRateLimit(text: string): RateLimitInput {
  if (text === "none") return UNLIMITED;
  const limit = { ...UNLIMITED };
  for (const part of text.split(",").map((word) => word.trim())) {
    const name = NAMES.find((candidate) => PARTS[candidate].test(part));
    if (name === undefined || limit[name] !== 0) throw refusal();
    const [, number = ""] = PARTS[name].exec(part) ?? [];
    limit[name] = Number(number);
    if (limit[name] < 1 || limit[name] > INT32_MAX) throw refusal();
  }
  return limit;
}

function refusal(): InvalidArgumentError {
  return new InvalidArgumentError("It must be such as 60/min,1000/h,burst=10, each at most once, or none.");
}
