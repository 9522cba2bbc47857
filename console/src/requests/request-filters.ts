import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useUrlFilters } from "../ui/url-filters.ts";

const FILTERS = ["key", "verdict", "reason", "request", "token", "from", "to"] as const;
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/** What the service decides about a request. */
export const VERDICTS: Readonly<Record<string, string>> = {
  admitted: "Admitted",
  denied: "Denied",
  failed: "Failed",
};

export type RequestFilters = ReturnType<typeof useRequestFilters>;

/** The filters, and `request` with them as the list's request has them. */
export function useRequestFilters() {
  const filters = useUrlFilters(FILTERS, { verdict: VERDICTS });
  const { values, pageToken } = filters;
  const request = {
    keyId: values.key.trim(),
    verdict: values.verdict,
    reason: values.reason,
    requestId: values.request.trim(),
    tokenId: values.token.trim(),
    pageToken,
    ...daysOf(values),
  };
  return { ...filters, request };
}

/** From the midnight that begins the first day, such as `2026-01-31`, to the one that ends the last, as the reader's clock has them. */
export function daysOf(days: { readonly from: string; readonly to: string }): {
  readonly from?: Timestamp;
  readonly to?: Timestamp;
} {
  const from = dayStart(days.from, 0);
  const to = dayStart(days.to, 1);
  return { ...(from && { from }), ...(to && { to }) };
}

/** The midnight that begins a day, or one of the days after it. Undefined: not a day. */
function dayStart(day: string, daysLater: number): Timestamp | undefined {
  const [, year, month, date] = DAY.exec(day) ?? [];
  if (year === undefined) return undefined;
  return timestampFromDate(new Date(Number(year), Number(month) - 1, Number(date) + daysLater));
}
