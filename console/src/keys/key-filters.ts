import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useSearchParams } from "wouter";
import { KeyStatus, KeyType } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { pageOf } from "../ui/page-parameter.ts";
import { withoutSecret } from "./key-text.ts";

/** The names of filters in the address, so that a reload and a link keep them. */
const FILTERS = ["search", "status", "type", "scope", "imported", "since", "show", "sort"] as const;

export type Filter = (typeof FILTERS)[number];

/** What may need a look, by its name in the address. */
export const SHOWN = {
  unused: "Unused for 30 days",
  expiring: "Expires in 30 days",
  leaked: "Leaked",
} as const;

/** Of `imported`, for keys of any format. No format has this name. */
export const ANY_FORMAT = "*";

const STATUSES: Readonly<Record<string, KeyStatus>> = {
  active: KeyStatus.ACTIVE,
  disabled: KeyStatus.DISABLED,
  expired: KeyStatus.EXPIRED,
  revoked: KeyStatus.REVOKED,
};
const TYPES: Readonly<Record<string, KeyType>> = { secret: KeyType.SECRET, publishable: KeyType.PUBLISHABLE };
const HOUR_MS = 3_600_000;
const DAYS_30_MS = 720 * HOUR_MS;
/** The service takes no longer text. */
const SEARCH_CHARS = 128;

interface ListRequest {
  readonly search?: string;
  readonly status?: KeyStatus;
  readonly keyType?: KeyType;
  readonly scope?: string;
  readonly sort?: string;
  readonly lastUsedBefore?: Timestamp;
  readonly expiresBefore?: Timestamp;
  readonly leaked?: boolean;
  readonly imported?: boolean;
  readonly keyFormat?: string;
}

export interface FilterState {
  /** Empty where a filter is not set. */
  readonly values: Readonly<Record<Filter, string>>;
  readonly isSet: boolean;
  readonly page: number;
  /** As the list's request has them. */
  readonly request: ListRequest;
  /** Changes some filters, and goes to the first page unless one is given. */
  set(changes: Partial<Record<Filter | "page", string>>): void;
  clear(): void;
}

export function useFilters(): FilterState {
  const [parameters, setParameters] = useSearchParams();
  const value = (name: Filter): string => parameters.get(name) ?? "";
  const values = {
    // An address that was written by hand may have a key in it.
    search: withoutSecret(value("search")).slice(0, SEARCH_CHARS),
    status: value("status"),
    type: value("type"),
    scope: value("scope"),
    imported: value("imported"),
    since: Number.isNaN(startOf(value("since")).getTime()) ? "" : value("since"),
    show: Object.hasOwn(SHOWN, value("show")) ? value("show") : "",
    sort: value("sort"),
  };
  const { search, scope, imported, since, sort } = values;
  const status = STATUSES[values.status];
  const keyType = TYPES[values.type];
  return {
    values,
    isSet: [search, values.status, values.type, scope, imported, since, values.show].some((text) => text !== ""),
    page: pageOf(parameters, "page"),
    request: {
      ...shownRequest(values.show),
      ...(search !== "" && { search }),
      ...(status !== undefined && { status }),
      ...(keyType !== undefined && { keyType }),
      ...(scope !== "" && { scope }),
      ...(imported === ANY_FORMAT ? { imported: true } : imported !== "" && { keyFormat: imported }),
      ...(since !== "" && { lastUsedBefore: timestampFromDate(startOf(since)) }),
      ...(sort !== "" && { sort }),
    },
    set(changes) {
      setParameters(
        (before) => {
          const after = new URLSearchParams(before);
          after.delete("page");
          for (const [name, text] of Object.entries(changes)) {
            if (text === "" || text === "1") after.delete(name);
            else after.set(name, text);
          }
          return after;
        },
        { replace: true },
      );
    },
    clear: () => setParameters(new URLSearchParams(), { replace: true }),
  };
}

/** The first instant of a day of UTC. */
function startOf(day: string): Date {
  return new Date(`${day}T00:00Z`);
}

/** Of usable keys, unless a status is chosen: nothing is to be done about others. Instants to the hour, so that a list is kept. */
function shownRequest(show: string): ListRequest {
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  switch (show) {
    case "unused":
      return { status: KeyStatus.ACTIVE, lastUsedBefore: timestampFromDate(new Date(hour - DAYS_30_MS)) };
    case "expiring":
      return { status: KeyStatus.ACTIVE, expiresBefore: timestampFromDate(new Date(hour + HOUR_MS + DAYS_30_MS)) };
    case "leaked":
      return { leaked: true };
    default:
      return {};
  }
}
