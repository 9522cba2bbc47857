import { useSearchParams } from "wouter";
import { KeyStatus, KeyType } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";

/** The names of filters in the address, so that a reload and a link keep them. */
export const FILTERS = ["search", "status", "type", "scope", "sort"] as const;

export type Filter = (typeof FILTERS)[number];

const STATUSES: Readonly<Record<string, KeyStatus>> = {
  active: KeyStatus.ACTIVE,
  disabled: KeyStatus.DISABLED,
  expired: KeyStatus.EXPIRED,
  revoked: KeyStatus.REVOKED,
};
const TYPES: Readonly<Record<string, KeyType>> = { secret: KeyType.SECRET, publishable: KeyType.PUBLISHABLE };
/** The most that the service stores of a key to find it by. */
const PREFIX_CHARS = 12;

export interface FilterState {
  /** Empty where a filter is not set. */
  readonly values: Readonly<Record<Filter, string>>;
  readonly isSet: boolean;
  readonly page: number;
  /** As the list's request has them. */
  readonly request: {
    readonly namePrefix?: string;
    readonly keyPrefix?: string;
    readonly status?: KeyStatus;
    readonly keyType?: KeyType;
    readonly scope?: string;
    readonly sort?: string;
  };
  /** Changes some filters, and goes to the first page unless one is given. */
  set(changes: Partial<Record<Filter | "page", string>>): void;
}

export function useFilters(): FilterState {
  const [parameters, setParameters] = useSearchParams();
  const value = (name: Filter): string => parameters.get(name) ?? "";
  const values = {
    search: value("search"),
    status: value("status"),
    type: value("type"),
    scope: value("scope"),
    sort: value("sort"),
  };
  const { search, scope, sort } = values;
  const status = STATUSES[values.status];
  const keyType = TYPES[values.type];
  const page = Number(parameters.get("page"));
  return {
    values,
    isSet: [search, values.status, values.type, scope].some((text) => text !== ""),
    page: Number.isInteger(page) && page > 1 ? page : 1,
    request: {
      ...(search !== "" &&
        (/^[sp]k_/.test(search) ? { keyPrefix: search.slice(0, PREFIX_CHARS) } : { namePrefix: search })),
      ...(status !== undefined && { status }),
      ...(keyType !== undefined && { keyType }),
      ...(scope !== "" && { scope }),
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
  };
}
