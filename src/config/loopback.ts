import { BlockList, isIP } from "node:net";

/** The addresses that other machines cannot reach. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/**
 * Whether a host is this machine itself: `localhost`, 127.0.0.0/8 or ::1, with or without brackets. Any other name is not,
 * because its DNS server decides where it leads.
 */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  switch (isIP(address)) {
    case 4:
      return LOOPBACK.check(address, "ipv4");
    case 6:
      return LOOPBACK.check(address, "ipv6");
    default:
      return address.toLowerCase() === "localhost";
  }
}
