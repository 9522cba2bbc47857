import type ipaddr from "ipaddr.js";
import { type Address, parseAddress } from "./address.ts";

/** The addresses that begin with the same bits as `first`. */
export interface AddressRange {
  readonly first: Address;
  readonly prefixBits: number;
}

/** Why a text is not a range. Continues a sentence that begins with the text. */
export interface RangeFault {
  readonly problem: string;
}

const CIDR = /^([^/]*)(?:\/(\d{1,3}))?$/;
const IPV4_BITS = 32;
const IPV6_BITS = 128;
const NOT_A_RANGE: RangeFault = { problem: "is neither an IP address nor a CIDR such as 10.0.0.0/8 or 2001:db8::/32" };

/**
 * Reads a CIDR, or an address as the range of only itself. Bits that are set after the prefix are a fault: `10.1.2.3/8` may
 * have been meant as one machine or as sixteen million.
 */
export function parseRange(text: string): AddressRange | RangeFault {
  const [, network = "", prefix] = CIDR.exec(text) ?? [];
  const first = parseAddress(network);
  if (first === undefined) return NOT_A_RANGE;
  const bits = bitsOf(first.parsed);
  // A prefix of IPv4 in IPv6 counts the 96 bits before it.
  const isMapped = bits === IPV4_BITS && network.includes(":");
  const prefixBits = prefix === undefined ? bits : Number(prefix) - (isMapped ? IPV6_BITS - IPV4_BITS : 0);
  if (prefixBits < 0 || prefixBits > bits) return NOT_A_RANGE;
  if (hasBitsAfter(first.parsed, prefixBits))
    return {
      problem: `has bits set after the first ${prefix}: write the first address of the range, or a single address`,
    };
  return { first, prefixBits };
}

export function isWithin({ parsed }: Address, ranges: readonly AddressRange[]): boolean {
  return ranges.some(
    ({ first, prefixBits }) => first.parsed.kind() === parsed.kind() && parsed.match(first.parsed, prefixBits),
  );
}

function bitsOf(address: ipaddr.IPv4 | ipaddr.IPv6): number {
  return address.kind() === "ipv4" ? IPV4_BITS : IPV6_BITS;
}

function hasBitsAfter(address: ipaddr.IPv4 | ipaddr.IPv6, prefixBits: number): boolean {
  return address.toByteArray().some((byte, at) => {
    const keptBits = Math.min(8, Math.max(0, prefixBits - 8 * at));
    return (byte & (0xff >> keptBits)) !== 0;
  });
}
