import { type AddressRange, parseRange } from "../domain/addresses/address-range.ts";
import { quotable } from "../domain/vocabulary/request-fault.ts";
import type { Reader } from "./reader.ts";
import { FORWARDING_HEADERS, type TrustedProxies } from "./settings.ts";

/** Each hop of a request is compared with each range. */
const RANGES_MAX = 500;

/** Reads which proxies may say a client's address. Entries are separated by commas or white space. `byDefault`: if none are set. */
export function readTrustedProxies(reader: Reader, byDefault = ""): TrustedProxies {
  const header = reader.oneOf("TRUSTED_PROXY_HEADER", FORWARDING_HEADERS) ?? null;
  const entries = (reader.text("TRUSTED_PROXIES") ?? byDefault).split(/[\s,]+/).filter((entry) => entry !== "");
  if (entries.length > RANGES_MAX) reader.refuse("TRUSTED_PROXIES", `must have at most ${RANGES_MAX} entries`);
  if (header !== null && entries.length === 0)
    reader.refuse("TRUSTED_PROXY_HEADER", "is read only from proxies, so it needs TRUSTED_PROXIES");
  const ranges: AddressRange[] = [];
  for (const entry of entries) {
    const range = parseRange(entry);
    const problem = "problem" in range ? range.problem : trustsAll(range);
    if ("problem" in range || problem !== undefined)
      reader.refuse("TRUSTED_PROXIES", `must list addresses and CIDRs: ${quotable(entry)} ${problem}`);
    else ranges.push(range);
  }
  return { ranges, header };
}

/** Every client could then write its own address. */
function trustsAll({ prefixBits }: AddressRange): string | undefined {
  return prefixBits === 0 ? "is every address, and would trust what any client writes" : undefined;
}
