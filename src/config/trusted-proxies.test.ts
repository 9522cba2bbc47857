// promise: callers.proxy-list
import { describe, expect, test } from "vitest";
import { mistakes } from "../../test/harness/config-mistakes.ts";
import { readConfig } from "./config.ts";

function rangesOf(value: string): string[] {
  return readConfig({ TRUSTED_PROXIES: value }).trustedProxies.ranges.map(
    ({ first, prefixBits }) => `${first.text}/${prefixBits}`,
  );
}

describe("TRUSTED_PROXIES", () => {
  test("is empty unless it is set", () => {
    expect(readConfig({}).trustedProxies).toEqual({ ranges: [], header: null });
    for (const value of ["", " ", ",", " , "]) expect(rangesOf(value)).toEqual([]);
  });

  test("lists addresses and CIDRs of both families, by commas and white space", () => {
    expect(rangesOf("10.0.0.0/8,192.0.2.1")).toEqual(["10.0.0.0/8", "192.0.2.1/32"]);
    expect(rangesOf(" 2001:DB8::/32 ::1,\n::ffff:172.16.0.0/108 ,, fe80::/10\t")).toEqual([
      "2001:db8::/32",
      "::1/128",
      "172.16.0.0/12",
      "fe80::/10",
    ]);
  });

  test.each([
    ["10.0.0.1/8", "has bits set after the first 8"],
    ["10.0.0.0/33", "is neither"],
    ["fe80::1%eth0", "is neither"],
    ["loopback", "is neither"],
    ["10.0.0.1:80", "is neither"],
    ["[::1]", "is neither"],
    ["0.0.0.0/0", "is every address, and would trust what any client writes"],
    ["::/0", "is every address, and would trust what any client writes"],
  ])("%s is a mistake, which is named", (entry, problem) => {
    expect(mistakes({ TRUSTED_PROXIES: `10.0.0.0/8, ${entry}` })).toEqual([
      expect.stringMatching(/^TRUSTED_PROXIES must list addresses and CIDRs: /),
    ]);
    const [line] = mistakes({ TRUSTED_PROXIES: entry });
    expect(line).toContain(`: ${entry} ${problem}`);
  });

  test("each mistake in it is named, and no secret that was pasted", () => {
    const secret = `sk_${"a".repeat(43)}`;
    const lines = mistakes({ TRUSTED_PROXIES: `10.0.0.1/8,${secret}` });
    expect(lines).toHaveLength(2);
    expect(lines.join()).not.toContain(secret);
  });

  test("has at most 500 entries", () => {
    const entries = Array.from({ length: 501 }, (_, n) => `10.0.${n >> 8}.${n & 255}`);
    expect(rangesOf(entries.slice(1).join())).toHaveLength(500);
    expect(mistakes({ TRUSTED_PROXIES: entries.join() })).toEqual(["TRUSTED_PROXIES must have at most 500 entries"]);
  });
});

describe("TRUSTED_PROXY_HEADER", () => {
  test.each(["X-Forwarded-For", "Forwarded"])("may be %s", (header) => {
    const env = { TRUSTED_PROXIES: "::1", TRUSTED_PROXY_HEADER: header };
    expect(readConfig(env).trustedProxies.header).toBe(header);
  });

  test("rejects other names, and any without TRUSTED_PROXIES", () => {
    expect(mistakes({ TRUSTED_PROXIES: "::1", TRUSTED_PROXY_HEADER: "X-Real-IP" })).toEqual([
      "TRUSTED_PROXY_HEADER must be one of X-Forwarded-For, Forwarded",
    ]);
    expect(mistakes({ TRUSTED_PROXY_HEADER: "Forwarded" })).toEqual([
      "TRUSTED_PROXY_HEADER is read only from proxies, so it needs TRUSTED_PROXIES",
    ]);
  });
});
