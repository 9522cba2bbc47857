import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** An IP address. IPv4 in IPv6 (`::ffff:192.0.2.1`) is the IPv4 address, so that each machine has one spelling. */
export interface Address {
  /** Canonical: four decimal numbers, or as RFC 5952 has it. Only hex digits, `.` and `:`. */
  readonly text: string;
  readonly parsed: ipaddr.IPv4 | ipaddr.IPv6;
}

/** `::192.0.2.1`, which the library reads as `::ffff:192.0.2.1`. No machine has such an address (RFC 4291, 2.5.5.1). */
const IPV4_COMPATIBLE = /^::\d+\./;

/** Undefined: not an address. Nor is one with a zone (`fe80::1%eth0`), which has a meaning only on its link. */
export function parseAddress(text: string): Address | undefined {
  // The library alone also reads octal and shortened forms (010.1), which other programs take for other addresses.
  switch (isIP(text)) {
    case 4:
      return { text, parsed: ipaddr.IPv4.parse(text) };
    case 6: {
      if (text.includes("%") || IPV4_COMPATIBLE.test(text)) return undefined;
      const ipv6 = ipaddr.IPv6.parse(text);
      const parsed = ipv6.isIPv4MappedAddress() ? ipv6.toIPv4Address() : ipv6;
      return { text: parsed.toString(), parsed };
    }
    default:
      return undefined;
  }
}
