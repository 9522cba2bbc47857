import { kindOf } from "../../../domain/vocabulary/json-kind.ts";

const MUST_BE = "must be an RFC 3339 timestamp with a time zone, such as 2030-01-31T12:00:00Z";

/** Common mistakes and what to do about them. The first that matches is reported. */
const MISTAKES: readonly (readonly [form: RegExp, remedy: string])[] = [
  [/^\d+(\.\d+)?$/, "not a number of seconds or milliseconds"],
  [/^\d{4}-\d{2}-\d{2}$/, "and this one has no time; add one, such as T00:00:00Z"],
  [/^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(Z|[+-]\d{2}:\d{2})?$/, "and this one has no seconds; add :00"],
  [/^\d{4}-\d{2}-\d{2}T[\d:.]+$/, "and this one has no time zone; add Z for UTC"],
  [/^\d{4}-\d{2}-\d{2}[t ][\d:.]+/, "and this one has no capital T between date and time"],
  [/[+-]\d{2}(\d{2})?$/, "and this one has a time zone without a colon; write it as +01:00"],
  [/^$/, "and this one is empty; leave the member out for none"],
];

/** Describes what is wrong with a value that is not a timestamp, without quoting it. */
export function timestampProblem(value: unknown): string {
  if (typeof value === "number") return `${MUST_BE}, not a number of seconds or milliseconds`;
  if (typeof value !== "string") return `${MUST_BE}, not ${kindOf(value)}`;
  const mistake = MISTAKES.find(([form]) => form.test(value));
  return mistake === undefined ? MUST_BE : `${MUST_BE}, ${mistake[1]}`;
}
