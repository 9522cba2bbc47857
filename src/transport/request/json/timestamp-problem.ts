import { kindOf } from "../../../domain/json-kind.ts";

const MUST_BE = "must be an RFC 3339 timestamp with a time zone, such as 2030-01-31T12:00:00Z";

/** What people send instead of a timestamp, and what to do about it. The first that fits is said. */
const SLIPS: readonly (readonly [form: RegExp, remedy: string])[] = [
  [/^\d+(\.\d+)?$/, "not a number of seconds or milliseconds"],
  [/^\d{4}-\d{2}-\d{2}$/, "and this one has no time; add one, such as T00:00:00Z"],
  [/^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(Z|[+-]\d{2}:\d{2})?$/, "and this one has no seconds; add :00"],
  [/^\d{4}-\d{2}-\d{2}T[\d:.]+$/, "and this one has no time zone; add Z for UTC"],
  [/^\d{4}-\d{2}-\d{2}[t ][\d:.]+/, "and this one has no capital T between date and time"],
  [/[+-]\d{2}(\d{2})?$/, "and this one has a time zone without a colon; write it as +01:00"],
  [/^$/, "and this one is empty; leave the member out for none"],
];

/** What is wrong with a value that is no timestamp, without repeating it. */
export function timestampProblem(value: unknown): string {
  if (typeof value === "number") return `${MUST_BE}, not a number of seconds or milliseconds`;
  if (typeof value !== "string") return `${MUST_BE}, not ${kindOf(value)}`;
  const slip = SLIPS.find(([form]) => form.test(value));
  return slip === undefined ? MUST_BE : `${MUST_BE}, ${slip[1]}`;
}
