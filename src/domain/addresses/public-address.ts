import { BlockList, isIP } from "node:net";

/**
 * IPv4 ranges without public hosts: the IANA special-purpose registry, multicast and reserved space. Link-local and
 * shared address space hold the metadata services of clouds (169.254.169.254, 100.100.100.200). Azure's metadata service
 * has an address outside of them (168.63.129.16).
 */
const REFUSED_V4 = blockList("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
]);

/**
 * The only IPv6 space that is allocated to public hosts. An allow list cannot miss a range; everything else is refused:
 * ::, ::1, IPv4-compatible and -mapped (::ffff:0:0/96), NAT64 (64:ff9b::/96, 64:ff9b:1::/48), discard (100::/64), unique
 * local (fc00::/7), link- and site-local (fe80::/10, fec0::/10), multicast (ff00::/8).
 */
const GLOBAL_UNICAST_V6 = blockList("ipv6", [["2000::", 3]]);

/** Exceptions within it: protocol assignments with Teredo, documentation, 6to4 (which embeds an IPv4 address). */
const REFUSED_V6 = blockList("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

/**
 * Whether a tenant's URL may make this service connect to the address. Text that is not an IP address is not public.
 * Neither is an address with a zone, which has a meaning only on a local link.
 */
export function isPublicAddress(ip: string): boolean {
  switch (isIP(ip)) {
    case 4:
      return !REFUSED_V4.check(ip, "ipv4");
    case 6:
      return !ip.includes("%") && GLOBAL_UNICAST_V6.check(ip, "ipv6") && !REFUSED_V6.check(ip, "ipv6");
    default:
      return false;
  }
}

/** One list per family: in a common list a rule for mapped addresses (::ffff:0:0/96) would match every IPv4 address. */
function blockList(family: "ipv4" | "ipv6", subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefixBits] of subnets) list.addSubnet(net, prefixBits, family);
  return list;
}
