import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Address ranges no tenant's URL may lead to: this host, private networks, link-local and metadata, and oddities. */
const RANGES_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
] as const;

/**
 * In IPv6 only the global unicast block is public at all; within it these are not: protocol assignments with Teredo,
 * documentation, 6to4. Mapped (`::ffff:`) and NAT64 (`64:ff9b::`) forms lie outside 2000::/3.
 */
const GLOBAL_UNICAST_V6 = "2000::/3";
const RANGES_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"] as const;

const notPublicV4 = blockList(RANGES_V4, "ipv4");
const globalV6 = blockList([GLOBAL_UNICAST_V6], "ipv6");
const notPublicV6 = blockList(RANGES_V6, "ipv6");

/** Whether an IP address is one that a tenant's URL may lead to. What is no IP address is not. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublicV4.check(address, "ipv4");
  return isIPv6(address) && globalV6.check(address, "ipv6") && !notPublicV6.check(address, "ipv6");
}

function blockList(ranges: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", prefix] = range.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
