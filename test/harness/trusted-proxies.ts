import type { TrustedProxies } from "../../src/config/settings.ts";
import { parseRange } from "../../src/domain/addresses/address-range.ts";

/** Trusts proxies of these addresses and CIDRs, by either header unless one is given. */
export function trusting(texts: readonly string[], header: TrustedProxies["header"] = null): TrustedProxies {
  const ranges = texts.map((text) => {
    const range = parseRange(text);
    if ("problem" in range) throw new Error(`${text} ${range.problem}`);
    return range;
  });
  return { ranges, header };
}
