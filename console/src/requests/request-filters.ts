import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useSearchParams } from "wouter";

/** The names of filters in the address, so that a reload and a link keep them. `from` and `to` are days of the reader. */
const FILTERS = ["key", "verdict", "reason", "request", "token", "from", "to"] as const;
const PAGE = "page";
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/** What the service decides about a request. */
export const VERDICTS: Readonly<Record<string, string>> = {
  admitted: "Admitted",
  denied: "Denied",
  failed: "Failed",
};

type Filter = (typeof FILTERS)[number];
export type RequestFilterValues = Readonly<Record<Filter, string>>;

export interface RequestFilters {
  /** Empty where a filter is not set. */
  readonly values: RequestFilterValues;
  readonly isSet: boolean;
  /** The token of the page; empty for the newest requests. */
  readonly pageToken: string;
  /** As the list's request has them. */
  readonly request: {
    readonly keyId: string;
    readonly verdict: string;
    readonly reason: string;
    readonly requestId: string;
    readonly tokenId: string;
    readonly pageToken: string;
    readonly from?: Timestamp;
    readonly to?: Timestamp;
  };
  /** Changes some filters, and goes to the newest requests. */
  set(changes: Partial<RequestFilterValues>): void;
  clear(): void;
  goTo(pageToken: string): void;
}

export function useRequestFilters(): RequestFilters {
  const [parameters, setParameters] = useSearchParams();
  const value = (name: Filter | typeof PAGE): string => parameters.get(name) ?? "";
  const values = {
    key: value("key"),
    verdict: Object.hasOwn(VERDICTS, value("verdict")) ? value("verdict") : "",
    reason: value("reason"),
    request: value("request"),
    token: value("token"),
    from: value("from"),
    to: value("to"),
  };
  const pageToken = value(PAGE);
  const from = dayStart(values.from, 0);
  const to = dayStart(values.to, 1);
  const change = (changes: Readonly<Record<string, string>>, options: { readonly replace: boolean }): void =>
    setParameters((before) => {
      const after = new URLSearchParams(before);
      after.delete(PAGE);
      for (const [name, text] of Object.entries(changes)) {
        if (text === "") after.delete(name);
        else after.set(name, text);
      }
      return after;
    }, options);
  return {
    values,
    isSet: Object.values(values).some((text) => text !== ""),
    pageToken,
    request: {
      keyId: values.key.trim(),
      verdict: values.verdict,
      reason: values.reason,
      requestId: values.request.trim(),
      tokenId: values.token.trim(),
      pageToken,
      ...(from && { from }),
      ...(to && { to }),
    },
    set: (changes) => change(changes, { replace: true }),
    clear: () => change(Object.fromEntries(FILTERS.map((name) => [name, ""])), { replace: true }),
    // A step back in the history is a page back.
    goTo: (token) => change({ [PAGE]: token }, { replace: false }),
  };
}

/** The midnight that begins a day such as `2026-01-31`, or one of the days after it. Undefined: not a day. */
export function dayStart(day: string, daysLater: number): Timestamp | undefined {
  const [, year, month, date] = DAY.exec(day) ?? [];
  if (year === undefined) return undefined;
  return timestampFromDate(new Date(Number(year), Number(month) - 1, Number(date) + daysLater));
}
