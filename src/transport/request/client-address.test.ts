// promise: callers.address
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { trusting } from "../../../test/harness/trusted-proxies.ts";
import type { TrustedProxies } from "../../config/settings.ts";
import { createClientAddress } from "./client-address.ts";

const PROXY = "10.0.0.1";

const TRUSTED = trusting(["10.0.0.0/8", "2001:db8:1::/48"]);

/** The address of a request from `remoteAddress` with these headers; a name may occur more than once. */
function addressOf(
  headers: readonly (readonly [name: string, value: string])[],
  { trusted = TRUSTED, remoteAddress = PROXY }: { trusted?: TrustedProxies; remoteAddress?: string | undefined } = {},
): string | null {
  return createClientAddress(trusted).of({ socket: { remoteAddress }, rawHeaders: headers.flat() });
}

const xff = (value: string) => addressOf([["X-Forwarded-For", value]]);
const forwarded = (value: string) => addressOf([["Forwarded", value]]);

describe("without a trusted proxy", () => {
  test.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8::1", "2001:db8::1"],
    ["fe80::1%eth0", "fe80::1"],
    [undefined, null],
  ])("the address is that of the connection: %s is %s", (remoteAddress, expected) => {
    const request = { socket: { remoteAddress }, rawHeaders: ["X-Forwarded-For", "192.0.2.1"] };
    expect(createClientAddress(TRUSTED).of(request)).toBe(expected);
    expect(createClientAddress({ ranges: [], header: null }).of(request)).toBe(expected);
  });

  test("no header changes the address", () => {
    const header = fc.tuple(fc.constantFrom("X-Forwarded-For", "Forwarded", "X-Real-IP"), chain());
    fc.assert(
      fc.property(fc.array(header), (headers) => {
        expect(addressOf(headers, { remoteAddress: "203.0.113.7" })).toBe("203.0.113.7");
        expect(addressOf(headers, { trusted: { ranges: [], header: null } })).toBe(PROXY);
      }),
    );
  });
});

describe("X-Forwarded-For of a trusted proxy", () => {
  test.each([
    ["203.0.113.7", "203.0.113.7"],
    ["192.0.2.1, 203.0.113.7", "203.0.113.7"],
    ["203.0.113.7,10.0.0.2 ,\t10.0.0.3", "203.0.113.7"],
    ["203.0.113.7, 2001:db8:1::5", "203.0.113.7"],
    ["192.0.2.1, 10.9.9.9, 203.0.113.7, 10.0.0.2", "203.0.113.7"],
    ["203.0.113.7:5678", "203.0.113.7"],
    ["[2001:db8::1]:80", "2001:db8::1"],
    ["[2001:DB8::1]", "2001:db8::1"],
    ["2001:db8::1", "2001:db8::1"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["203.0.113.7, ::ffff:10.0.0.2", "203.0.113.7"],
    [", 203.0.113.7, ,10.0.0.2,", "203.0.113.7"],
  ])("%s: the last address that is not of one, %s", (value, expected) => {
    expect(xff(value)).toBe(expected);
  });

  test("of trusted proxies alone the first counts", () => {
    expect(xff("10.0.0.4, 10.0.0.3")).toBe("10.0.0.4");
    expect(xff("")).toBe(PROXY);
    expect(xff(" , ")).toBe(PROXY);
  });

  test.each([
    ...[
      "unknown",
      "_hidden",
      "203.0.113.07",
      "203.0.113.7:port",
      "203.0.113.7:123456",
      "[203.0.113.7]",
      "[::1",
      "::1]",
    ],
    ...[
      "fe80::1%eth0",
      "203.0.113.7 10.0.0.2",
      '"203.0.113.7"',
      "for=203.0.113.7",
      "127.1",
      "unix:",
      `"${"x".repeat(9)}`,
    ],
    ...["(null)", "-", "unix:/run/proxy.sock"],
  ])("the address is not known where a proxy writes %j, which is not an address", (element) => {
    for (const before of ["", "192.0.2.1, ", "10.0.0.4, "]) {
      expect(xff(`${before}${element}, 10.0.0.3, 10.0.0.2`)).toBeNull();
      expect(xff(`${before}${element}`)).toBeNull();
    }
    expect(xff(`${element}, 203.0.113.7, 10.0.0.3`)).toBe("203.0.113.7");
  });

  test("repeated headers count in their order, however their name is written", () => {
    const headers = [
      ["x-forwarded-for", "192.0.2.1"],
      ["Via", "1.1 x"],
      ["X-FORWARDED-FOR", "203.0.113.7, 10.0.0.3"],
      ["X-Forwarded-For", "10.0.0.2"],
    ] as const;
    expect(addressOf(headers)).toBe("203.0.113.7");
    expect(addressOf(headers.slice(0, 1))).toBe("192.0.2.1");
  });

  test("at most 32 elements are read, however long it is", () => {
    const proxies = (count: number) => Array.from({ length: count }, (_, n) => `10.0.1.${n}`);
    expect(xff(["203.0.113.7", ...proxies(31)].join())).toBe("203.0.113.7");
    expect(xff(["203.0.113.7", ...proxies(32)].join())).toBeNull();
  });

  test("an element may have 1,024 characters, and a longer one names no address", () => {
    expect(xff(`192.0.2.1,${"203.0.113.7".padStart(1_024)},10.0.0.2`)).toBe("203.0.113.7");
    expect(xff(`192.0.2.1,${"203.0.113.7".padStart(1_025)},10.0.0.2`)).toBeNull();
    expect(xff("203.0.113.7".padStart(1_024))).toBe("203.0.113.7");
    expect(xff("203.0.113.7".padStart(1_025))).toBeNull();
    expect(forwarded(`for=203.0.113.7;by="${"x".repeat(1_003)}"`)).toBe("203.0.113.7");
    expect(forwarded(`for=203.0.113.7;by="${"x".repeat(1_004)}"`)).toBeNull();
  });

  // 60,000 characters of blanks took seconds: each of them began a search to the end.
  test.each([
    ...[",", "[:", "a", '"', '\\"', "[::", "\\", " ", "\t", ";", "=", "for=;", 'x="', "a=b;", "a=b ", "::", "1:", "1."],
  ])("60,000 characters of %j cost little, whatever stands before and after them", (piece) => {
    const long = piece.repeat(60_000 / piece.length);
    const values = [long, `for=1.1.1.1;${long}x`, `for=${long}x`, `for="${long}`, `x,${long},for=1.1.1.1`];
    const startedAt = performance.now();
    for (let n = 0; n < 5; n++) for (const value of values) [xff(value), forwarded(value)];
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

describe("Forwarded of a trusted proxy", () => {
  test.each([
    ["for=203.0.113.7", "203.0.113.7"],
    ["For=192.0.2.1,FOR=203.0.113.7", "203.0.113.7"],
    ["for=203.0.113.7;proto=https;by=10.0.0.2, for=10.0.0.3", "203.0.113.7"],
    ['proto=https;for="203.0.113.7:5678"', "203.0.113.7"],
    ['for="[2001:db8::1]:47011"', "2001:db8::1"],
    ['for="[2001:db8::1]:_port"', "2001:db8::1"],
    ["for=[2001:db8::1]:47011", "2001:db8::1"],
    ["for=203.0.113.7;", "203.0.113.7"],
    ['for="203.0.113\\.7"', "203.0.113.7"],
    ['host="a,b;c";for=203.0.113.7, host="\\"x, \\"";for=10.0.0.2', "203.0.113.7"],
  ])("%s: the last address that is not of one, %s", (value, expected) => {
    expect(forwarded(value)).toBe(expected);
  });

  test.each([
    ...["for=unknown", "for=_hidden", 'for="_gazonk"', "proto=https", "203.0.113.7", "for=", 'for=""', "for"],
    ...["for=203.0.113.7;for=203.0.113.7", "for=203.0.113.7 x", 'for="203.0.113.7"x', "for =203.0.113.7"],
    ...["=203.0.113.7", "for=203.0.113.7;proto", 'for="203.0.113.7', "for=203.0.113.7;x=a b"],
  ])("the address is not known where a proxy writes %j, which names none", (element) => {
    expect(forwarded(`for=192.0.2.1, ${element}, for=10.0.0.3`)).toBeNull();
    expect(forwarded(`for=192.0.2.1, ${element}`)).toBeNull();
  });

  test.each(['for="192.0.2.1', 'for=192.0.2.1;host="', 'host="\\', '"', 'for="192.0.2.1\\"', "host=\\"])(
    "the proxy's element is not swallowed by what a client leaves open: %s",
    (open) => {
      expect(forwarded(`${open}, for=203.0.113.7`)).toBe("203.0.113.7");
      expect(forwarded(`${open}, for=203.0.113.7;by="10.0.0.1"`)).toBe("203.0.113.7");
      const lines = [open, "for=203.0.113.7"].map((value) => ["Forwarded", value] as const);
      expect(addressOf(lines)).toBe("203.0.113.7");
    },
  );
});

describe("of two headers", () => {
  const both = [
    ["X-Forwarded-For", "203.0.113.7"],
    ["Forwarded", "for=192.0.2.1"],
  ] as const;

  test("which say the same, both count", () => {
    expect(
      addressOf([
        ["X-Forwarded-For", "192.0.2.1, 203.0.113.7"],
        ["Forwarded", 'for="203.0.113.7:80", for=10.0.0.3'],
      ]),
    ).toBe("203.0.113.7");
  });

  test("which disagree, neither does, and the address is not known", () => {
    expect(addressOf(both)).toBeNull();
    expect(addressOf([both[0], ["Forwarded", "for=unknown"]])).toBeNull();
    expect(addressOf([["X-Forwarded-For", "unknown"], both[1]])).toBeNull();
    expect(
      addressOf([
        ["X-Forwarded-For", "unknown"],
        ["Forwarded", "for=unknown"],
      ]),
    ).toBeNull();
  });

  test("an empty one says nothing", () => {
    expect(addressOf([both[0], ["Forwarded", ""]])).toBe("203.0.113.7");
    expect(addressOf([["X-Forwarded-For", ""], both[1]])).toBe("192.0.2.1");
  });

  test("only the configured one counts", () => {
    expect(addressOf(both, { trusted: { ...TRUSTED, header: "X-Forwarded-For" } })).toBe("203.0.113.7");
    expect(addressOf(both, { trusted: { ...TRUSTED, header: "Forwarded" } })).toBe("192.0.2.1");
    expect(addressOf([both[1]], { trusted: { ...TRUSTED, header: "X-Forwarded-For" } })).toBe(PROXY);
    expect(addressOf([both[0]], { trusted: { ...TRUSTED, header: "Forwarded" } })).toBe(PROXY);
  });
});

test("whatever a client writes before what the proxies wrote, its address stays", () => {
  const proxies = fc.array(fc.constantFrom("10.0.0.2", "10.3.4.5", "2001:db8:1::7"), { maxLength: 3 });
  const client = fc.constantFrom("203.0.113.7", "2001:db8::1");
  fc.assert(
    fc.property(chain(), client, proxies, fc.boolean(), (written, address, hops, isJoined) => {
      const chains = {
        "X-Forwarded-For": [address, ...hops].join(", "),
        Forwarded: [address, ...hops].map((hop) => (hop.includes(":") ? `for="[${hop}]"` : `for=${hop}`)).join(", "),
      };
      for (const [name, ofProxies] of Object.entries(chains)) {
        const values = isJoined ? [`${written}, ${ofProxies}`] : [written, ofProxies];
        expect(addressOf(values.map((value) => [name, value] as const))).toBe(address);
      }
    }),
  );
});

/** What a client may write into either header: parts of chains, in any order. */
function chain(): fc.Arbitrary<string> {
  const part = fc.constantFrom(
    ...["192.0.2.1", "10.0.0.9", "[2001:db8::2]:80", "2001:db8:1::1", "unknown", "_x", "for=", "FOR=", "proto=https"],
    ...[",", ", ", ";", '"', "\\", "=", ":", "[", "]", " ", "for=192.0.2.1", 'for="192.0.2.1', "x"],
  );
  return fc.oneof(
    fc.array(part, { maxLength: 12 }).map((parts) => parts.join("")),
    fc.string(),
  );
}
