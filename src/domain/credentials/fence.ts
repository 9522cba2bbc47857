import { parseAddress } from "../addresses/address.ts";
import { type AddressRange, isWithin, parseRange } from "../addresses/address-range.ts";
import { Denial } from "../vocabulary/denial.ts";
import { faultOf, invalid } from "../vocabulary/request-fault.ts";
import type { Fence, KeyRecord, KeyType } from "./key.ts";
import { originProblem } from "./web-origin.ts";

/** The fence of a request. Null: it does not say. */
export interface FenceInput extends Pick<Fence, "allowedIps" | "allowedOrigins"> {
  readonly allowBrowser: boolean | null;
}

/** Where a request comes from. */
export interface RequestSource {
  /**
   * The client's IP address in canonical text: the connection's, or what trusted proxies say (ADR 27). Null: not known, which
   * no rule about addresses may take for a match.
   */
  readonly address: string | null;
  /** The one `Origin` header: the web page that sends the request, if a browser wrote it. Null: none, or several. */
  readonly origin: string | null;
  /** Whether it has `Sec-Fetch-Site`, which pages cannot remove and no other common client sends (ADR 37). */
  readonly isFromBrowser: boolean;
}

export function checkedIps(allowedIps: readonly string[]): readonly string[] {
  return checkedEntries("allowed_ips", allowedIps, (text) => {
    const range = parseRange(text);
    return "problem" in range ? range.problem : undefined;
  });
}

export function checkedOrigins(allowedOrigins: readonly string[], type: KeyType): readonly string[] {
  if (type === "secret" && allowedOrigins.length > 0) {
    throw faultOf(
      "not_for_key_type",
      "allowed_origins",
      "is only for publishable keys: a secret key does not belong into a web page",
    );
  }
  return checkedEntries("allowed_origins", allowedOrigins, originProblem);
}

/** Null is the default: secret keys are kept out of browsers. */
export function checkedBrowser(allowBrowser: boolean | null, type: KeyType): boolean {
  if (type === "secret") return allowBrowser ?? false;
  if (allowBrowser !== null) throw faultOf("not_for_key_type", "allow_browser", "is only for secret keys: remove it");
  return true;
}

function checkedEntries(
  member: string,
  entries: readonly string[],
  problemOf: (text: string) => string | undefined,
): readonly string[] {
  for (const [index, entry] of entries.entries()) {
    const problem = problemOf(entry);
    if (problem !== undefined) throw invalid(`${member}[${index}]`, problem);
  }
  return [...new Set(entries)];
}

/** A key as far as its fence goes. */
export type Fenced = Pick<KeyRecord, "type" | "allowedIps" | "allowedOrigins" | "allowBrowser">;

/** Why a key is denied to a request from there. Null: it is not. A message names the rule and shows nothing of its list. */
export function fenceDenial(key: Fenced, source: RequestSource): Denial | null {
  const message = browserRefusal(key, source) ?? addressRefusal(key, source) ?? originRefusal(key, source);
  return message === null ? null : new Denial("origin_not_allowed", { message });
}

/** What a key's fence requires of requests, as sentences. Empty: nothing. */
export function fenceRequirements({ type, allowedIps, allowedOrigins, allowBrowser }: Fenced): string {
  return [
    isKeptOut({ type, allowBrowser }) ? "Requests must not come from a browser." : "",
    allowedIps.length > 0 ? `Requests must come from ${allowedIps.join(", ")}.` : "",
    allowedOrigins.length > 0 ? `Requests must have the Origin ${allowedOrigins.join(" or ")}.` : "",
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

function isKeptOut({ type, allowBrowser }: Pick<Fenced, "type" | "allowBrowser">): boolean {
  return type === "secret" && !allowBrowser;
}

function browserRefusal(key: Fenced, { isFromBrowser }: RequestSource): string | null {
  return isFromBrowser && isKeptOut(key)
    ? "This is a secret key, and the request comes from a browser, where other people can read the key; use a publishable key there, or set allow_browser of this key if the page is your own tool."
    : null;
}

function addressRefusal({ allowedIps }: Fenced, { address }: RequestSource): string | null {
  if (allowedIps.length === 0) return null;
  const parsed = address === null ? undefined : parseAddress(address);
  if (parsed !== undefined && isWithin(parsed, rangesOf(allowedIps))) return null;
  const what = parsed === undefined ? "is not known" : "is not among them";
  return `This API key has allowed_ips, and the address of this request ${what}; call from one of them, or have an administrator change the list.`;
}

function originRefusal({ allowedOrigins }: Fenced, { origin }: RequestSource): string | null {
  if (allowedOrigins.length === 0 || (origin !== null && allowedOrigins.includes(origin))) return null;
  const what =
    origin === null ? "this request has no Origin, or several" : "the Origin of this request is not among them";
  return `This API key has allowed_origins, and ${what}; call from a web page of one of them, or have an administrator change the list. An app that is not a web page needs a key without the list.`;
}

/** The lists of cached records are parsed once. */
const parsedRanges = new WeakMap<readonly string[], readonly AddressRange[]>();

/** A stored text that is not a range, which another version may have written, has no address. */
function rangesOf(allowedIps: readonly string[]): readonly AddressRange[] {
  const known = parsedRanges.get(allowedIps);
  if (known !== undefined) return known;
  const ranges = allowedIps.map(parseRange).flatMap((range) => ("problem" in range ? [] : [range]));
  parsedRanges.set(allowedIps, ranges);
  return ranges;
}
