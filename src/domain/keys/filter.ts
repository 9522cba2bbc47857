import type { KeyType } from "../credentials/key.ts";
import { secretPrefix } from "../credentials/secret.ts";
import type { KeyStatus } from "../credentials/status.ts";
import { likely } from "../vocabulary/nearest.ts";
import { invalid, quotable } from "../vocabulary/request-fault.ts";

/** In which order keys are listed: the newest first, or the one that was used last, and unused ones at the end. */
export type KeyOrder = (typeof ORDERS)[number];

const ORDERS = ["created_at", "last_used_at"] as const;

/** Which keys to list. An absent or empty member, and null, is every one. A key must have all that are given. */
export interface KeyFilter {
  readonly status: KeyStatus | null;
  /** The instant at which expiry is checked. */
  readonly now: Date;
  readonly type?: KeyType | null;
  readonly externalId?: string;
  /** In lower case, as far as `lowerAscii` goes. */
  readonly namePrefix?: string;
  /** At most what is stored of a secret. */
  readonly secretPrefix?: string;
  /** One of the key's permissions, word for word. */
  readonly scope?: string;
  /** Neither created nor used at this instant or later. */
  readonly lastUsedBefore?: Date | null;
  /** With an expiry before it. */
  readonly expiresBefore?: Date | null;
  /** Whether the key must have been reported as leaked. */
  readonly isLeaked?: boolean;
  /** Whether the key must have been imported. */
  readonly isImported?: boolean;
  /** Of an imported key. */
  readonly keyFormat?: string;
  /** In the name, the id or the tenant's own id. In lower case, as far as `lowerAscii` goes. */
  readonly part?: string;
  /** Default: `created_at`. */
  readonly order?: KeyOrder;
}

/** What a request says of the keys to list. */
export type KeyFilterInput = Pick<
  KeyFilter,
  "status" | "now" | "type" | "lastUsedBefore" | "expiresBefore" | "isLeaked" | "isImported" | "keyFormat"
> &
  Readonly<Record<"externalId" | "namePrefix" | "keyPrefix" | "scope" | "search" | "sort", string>>;

/** Reads a request. Throws `RequestFault` for an unknown `sort`, and for a `search` that contradicts `keyPrefix`. */
export function keyFilter({ namePrefix, keyPrefix, search, sort, ...filter }: KeyFilterInput): KeyFilter {
  const isKey = looksLikeKey(search);
  const prefixes = [keyPrefix, isKey ? search : ""].map(secretPrefix).sort((a, b) => a.length - b.length);
  const [shorter = "", longer = ""] = prefixes;
  // One that is not the beginning of the other excludes it, and an empty prefix would not.
  if (!longer.startsWith(shorter))
    throw invalid("search", "begins like a key, but another one than key_prefix; leave out one of them");
  return {
    ...filter,
    namePrefix: lowerAscii(namePrefix),
    secretPrefix: longer,
    part: isKey ? "" : lowerAscii(search),
    order: keyOrder(sort),
  };
}

function looksLikeKey(text: string): boolean {
  return /^[sp]k_/.test(text);
}

/** `A` to `Z` in lower case. What else a database takes for the same letter depends on its locale. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function keyOrder(sort: string): KeyOrder {
  if (sort === "") return "created_at";
  const known = ORDERS.find((order) => order === sort);
  if (known !== undefined) return known;
  const meant = likely(sort, ORDERS);
  const offered = meant === undefined ? "" : `; did you mean "${meant}"?`;
  throw invalid("sort", `must be ${ORDERS.join(" or ")}, not "${quotable(sort)}"${offered}`);
}
