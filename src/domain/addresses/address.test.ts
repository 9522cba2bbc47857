import { isIP } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAddress } from "./address.ts";

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:c000:201", "192.0.2.1"],
  ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"],
  ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
  ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
  ["2001:db8::192.0.2.1", "2001:db8::c000:201"],
  ["::", "::"],
])("%s is written %s", (text, canonical) => {
  expect(parseAddress(text)?.text).toBe(canonical);
});

test.each([
  ...[
    "",
    " ",
    "localhost",
    "192.0.2",
    "192.0.2.1.",
    "192.0.2.256",
    "192.0.2.01",
    "0300.0.2.1",
    "0xc0.0.2.1",
    "3221225985",
  ],
  ...[
    "192.0.2.1 ",
    "192.0.2.1:80",
    "192.0.2.0/24",
    "[::1]",
    "fe80::1%eth0",
    "::1::",
    ":::",
    "1:2:3:4:5:6:7",
    "12345::",
  ],
  ...["::ffff:192.0.2.256", "::192.0.2.1", "::ffff:0300.0.2.1", "unknown", "_hidden"],
])("rejects %j as an address", (text) => {
  expect(parseAddress(text)).toBeUndefined();
});

test("whatever Node takes for an IPv6 address has one spelling, that of URLs, or is an IPv4 address", () => {
  const group = fc.stringMatching(/^[0-9a-fA-F]{0,4}$/);
  const text = fc
    .tuple(fc.array(fc.oneof(group, fc.constant("0")), { maxLength: 9 }), fc.option(fc.ipV4()))
    .map(([groups, ipv4]) => [...groups, ...(ipv4 === null ? [] : [ipv4])].join(":"));
  fc.assert(
    fc.property(fc.oneof(text, fc.ipV6()), (spelling) => {
      fc.pre(isIP(spelling) === 6 && !/^::\d+\./.test(spelling));
      const canonical = parseAddress(spelling)?.text ?? "";
      const inBrackets = isIP(canonical) === 4 ? `::ffff:${canonical}` : canonical;
      expect(new URL(`http://[${inBrackets}]/`).host).toBe(new URL(`http://[${spelling}]/`).host);
      expect(parseAddress(canonical)?.text).toBe(canonical);
    }),
  );
});
