// promise: callers.proxy-list
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAddress } from "./address.ts";
import { isWithin, parseRange } from "./address-range.ts";

/** Whether a range has an address. Undefined: one of them is none. */
function contains(range: string, text: string): boolean | undefined {
  const [parsed, address] = [parseRange(range), parseAddress(text)];
  return "problem" in parsed || address === undefined ? undefined : isWithin(address, [parsed]);
}

test.each([
  ["10.0.0.0/8", "10.255.255.255", "11.0.0.0"],
  ["172.16.0.0/12", "172.31.0.1", "172.32.0.1"],
  ["192.0.2.1", "192.0.2.1", "192.0.2.2"],
  ["192.0.2.1/32", "::ffff:192.0.2.1", "192.0.2.0"],
  ["::ffff:10.0.0.0/104", "10.1.2.3", "::a01:203"],
  ["2001:db8::/32", "2001:db8:ffff::1", "2001:db9::1"],
  ["2001:DB8::1", "2001:db8:0::1", "2001:db8::2"],
  ["fe80::/10", "febf::1", "fec0::1"],
  ["0.0.0.0/0", "255.255.255.255", "::1"],
  ["::/0", "2001:db8::1", "192.0.2.1"],
])("%s has %s and not %s", (range, inside, outside) => {
  expect([contains(range, inside), contains(range, outside)]).toEqual([true, false]);
});

describe("no range", () => {
  test.each([
    ...["", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.0/0008", "10/8"],
    ...["10.0.0.0/255.0.0.0", "10.0.0.0 /8", "::/129", "fe80::%eth0/10", "fe80::1%1", "::ffff:10.0.0.0/95", "any"],
  ])("is %j, which is not a CIDR", (text) => {
    expect(parseRange(text)).toEqual({ problem: expect.stringContaining("is neither an IP address nor a CIDR") });
  });

  test.each(["10.0.0.1/8", "192.0.2.128/24", "0.0.0.1/0", "2001:db8::1/32", "::ffff:10.0.0.1/104"])(
    "is %s, whose last bits are set",
    (text) => {
      expect(parseRange(text)).toEqual({ problem: expect.stringContaining("has bits set after the first") });
    },
  );
});

test("a range has an address if and only if their first bits are the same", () => {
  const number = fc.integer({ min: 0, max: 0xffffffff });
  const textOf = (bits: number) => [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join(".");
  fc.assert(
    fc.property(number, number, fc.integer({ min: 1, max: 32 }), (network, other, prefixBits) => {
      const mask = (0xffffffff << (32 - prefixBits)) >>> 0;
      const first = (network & mask) >>> 0;
      // Half of them are near, or almost none would be inside.
      for (const bits of [other, (first | (other & ~mask)) >>> 0])
        expect(contains(`${textOf(first)}/${prefixBits}`, textOf(bits))).toBe((bits & mask) >>> 0 === first);
    }),
  );
});
