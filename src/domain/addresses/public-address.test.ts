// promise: key-sets.addresses
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isPublicAddress } from "./public-address.ts";

/** First and last address of each refused range, and the public neighbours on either side. */
const RANGES_V4 = [
  ["0.0.0.0", "0.255.255.255", undefined, "1.0.0.0"],
  ["10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"],
  ["100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"],
  ["127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"],
  ["168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"],
  ["169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"],
  ["172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"],
  ["192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"],
  ["192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"],
  ["192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"],
  ["192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"],
  ["198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"],
  ["198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"],
  ["203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"],
  ["224.0.0.0", "255.255.255.255", "223.255.255.255", undefined],
] as const;

describe("IPv4", () => {
  test.each(RANGES_V4)("%s to %s is refused, its neighbours are not", (first, last, before, after) => {
    expect(isPublicAddress(first)).toBe(false);
    expect(isPublicAddress(last)).toBe(false);
    for (const neighbour of [before, after]) {
      if (neighbour !== undefined) expect(isPublicAddress(neighbour)).toBe(true);
    }
  });

  test.each(["169.254.169.254", "100.100.100.200", "192.0.0.192", "127.0.0.53", "255.255.255.255"])(
    "%s, a well-known service, is refused",
    (ip) => expect(isPublicAddress(ip)).toBe(false),
  );

  test.each(["8.8.8.8", "93.184.215.14", "1.1.1.1"])("%s is public", (ip) => expect(isPublicAddress(ip)).toBe(true));
});

describe("IPv6", () => {
  test.each([
    "::",
    "::1",
    "::7f00:1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:0:7f00:1::",
    "2001:20::1",
    "2001:1ff:ffff::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "3fff::1",
    "3fff:fff:ffff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "2606:4700::1%eth0",
    "febf::1",
    "fec0::1",
    "ff02::1",
    "ffff::1",
  ])("%s is refused", (ip) => expect(isPublicAddress(ip)).toBe(false));

  test.each(["2606:4700:4700::1111", "2001:200::1", "2001:4860:4860::8888", "2a00:1450::1", "3ffe::1", "2003::1"])(
    "%s is public",
    (ip) => expect(isPublicAddress(ip)).toBe(true),
  );

  // threat: F2
  test("no embedding of an IPv4 address is public", () => {
    const property = fc.property(
      fc.ipV4(),
      fc.constantFrom("::", "::ffff:", "::ffff:0:", "64:ff9b::"),
      (ip, prefix) => {
        expect(isPublicAddress(prefix + ip)).toBe(false);
      },
    );
    fc.assert(property);
  });
});

test.each([
  "",
  "localhost",
  "127.1",
  "2130706433",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "[::1]",
  " 8.8.8.8",
  "8.8.8.8:80",
  "8.8.8",
])("%j is not an address, so it is not public", (text) => expect(isPublicAddress(text)).toBe(false));
