import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { useSearchParams } from "wouter";
import { dayStart } from "../requests/request-filters.ts";
import { ACTIONS } from "./actions.ts";

/** The names of filters in the address, so that a reload and a link keep them. `from` and `to` are days of the reader. */
const FILTERS = ["action", "actor", "target", "request", "from", "to"] as const;
const PAGE = "page";

type Filter = (typeof FILTERS)[number];
export type FilterValues = Readonly<Record<Filter, string>>;

export interface EventFilters {
  /** Empty where a filter is not set. */
  readonly values: FilterValues;
  readonly isSet: boolean;
  /** The token of the page; empty for the newest events. */
  readonly pageToken: string;
  /** As the list's request has them. */
  readonly request: {
    readonly action: string;
    readonly actorId: string;
    readonly targetId: string;
    readonly requestId: string;
    readonly pageToken: string;
    readonly from?: Timestamp;
    readonly to?: Timestamp;
  };
  /** Changes some filters, and goes to the newest events. */
  set(changes: Partial<FilterValues>): void;
  clear(): void;
  goTo(pageToken: string): void;
}

export function useEventFilters(): EventFilters {
  const [parameters, setParameters] = useSearchParams();
  const value = (name: Filter | typeof PAGE): string => parameters.get(name) ?? "";
  const action = Object.hasOwn(ACTIONS, value("action")) ? value("action") : "";
  const values = {
    action,
    actor: value("actor"),
    target: value("target"),
    request: value("request"),
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
      action,
      actorId: values.actor.trim(),
      targetId: values.target.trim(),
      requestId: values.request.trim(),
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
