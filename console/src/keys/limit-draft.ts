import type { Limit } from "./limit-sentence.ts";

/** As typed: a number may be incomplete. */
export interface LimitDraft {
  readonly minute: string;
  readonly hour: string;
  readonly burst: string;
}

/** The members with their names in the API and as people call them. */
export const LIMIT_MEMBERS = [
  {
    member: "minute",
    name: "requests_per_minute",
    key: "requestsPerMinute",
    label: "Requests per minute",
    short: "Per minute",
  },
  { member: "hour", name: "requests_per_hour", key: "requestsPerHour", label: "Requests per hour", short: "Per hour" },
  { member: "burst", name: "burst_size", key: "burstSize", label: "At once (burst)", short: "At once" },
] as const;

export const NO_LIMIT: LimitDraft = { minute: "", hour: "", burst: "" };
/** The most that a member of a limit can be. */
const REQUESTS_MAX = 2_147_483_647;

/** Undefined: one of them is not a number. */
export function limitOf({ minute, hour, burst }: LimitDraft): Limit | undefined {
  const [requestsPerMinute, requestsPerHour, burstSize] = [countOf(minute), countOf(hour), countOf(burst)];
  if (requestsPerMinute === undefined || requestsPerHour === undefined || burstSize === undefined) return undefined;
  return { requestsPerMinute, requestsPerHour, burstSize };
}

export function limitDraftOf(limit: Limit | undefined): LimitDraft {
  const text = (count = 0): string => (count === 0 ? "" : String(count));
  return { minute: text(limit?.requestsPerMinute), hour: text(limit?.requestsPerHour), burst: text(limit?.burstSize) };
}

export function hasLimit({ requestsPerMinute, requestsPerHour, burstSize }: Limit): boolean {
  return requestsPerMinute + requestsPerHour + burstSize > 0;
}

export function countOf(text: string): number | undefined {
  const digits = text.trim();
  if (digits === "") return 0;
  const count = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
  return count <= REQUESTS_MAX ? count : undefined;
}
