// promise: fence.denies, fence.order, fence.form
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  checkedBrowser,
  checkedIps,
  checkedOrigins,
  type Fenced,
  type FenceInput,
  fenceDenial,
  fenceRequirements,
  type RequestSource,
} from "./fence.ts";

const SECRET: Fenced = { type: "secret", allowedIps: [], allowedOrigins: [], allowBrowser: false };
const PUBLISHABLE: Fenced = { ...SECRET, type: "publishable", allowBrowser: true };
const CALL: RequestSource = { address: "203.0.113.7", origin: null, isFromBrowser: false };
const NOTHING = { allowedIps: [], allowedOrigins: [], allowBrowser: null };

function messageOf(key: Partial<Fenced>, source: Partial<RequestSource>): string {
  const denial = fenceDenial(
    { ...(key.type === "publishable" ? PUBLISHABLE : SECRET), ...key },
    { ...CALL, ...source },
  );
  expect(denial?.reason ?? "origin_not_allowed").toBe("origin_not_allowed");
  return denial?.message ?? "";
}

describe("allowed_ips", () => {
  test.each([
    [["203.0.113.7"], "203.0.113.7"],
    [["203.0.113.0/24"], "203.0.113.255"],
    [["::ffff:203.0.113.0/120"], "203.0.113.1"],
    [["10.0.0.0/8", "2001:db8::/32"], "2001:db8:1::1"],
    [["0.0.0.0/0"], "198.51.100.1"],
  ])("%j has %s", (allowedIps, address) => {
    expect(messageOf({ allowedIps }, { address })).toBe("");
  });

  test.each([
    [["203.0.113.7"], "203.0.113.8", "is not among them"],
    [["0.0.0.0/0"], "2001:db8::1", "is not among them"],
    [["0.0.0.0/0", "::/0"], null, "is not known"],
    [["0.0.0.0/0", "::/0"], "unknown", "is not known"],
    [["what another version wrote"], "203.0.113.7", "is not among them"],
  ])("%j has not %s, and the message shows nothing of the list", (allowedIps, address, says) => {
    for (const type of ["secret", "publishable"] as const) {
      const message = messageOf({ type, allowedIps }, { address });
      expect(message).toContain(`allowed_ips, and the address of this request ${says}`);
      for (const shown of [...allowedIps, "203.0.113"]) expect(message).not.toContain(shown);
    }
  });

  test("a list admits an address if and only if one of its ranges does", () => {
    const octet = fc.nat(3);
    const address = fc.tuple(octet, octet).map(([a, b]) => `10.0.${a}.${b}`);
    const range = fc.oneof(
      address,
      octet.map((a) => `10.0.${a}.0/24`),
      fc.constant("10.0.0.0/23"),
    );
    fc.assert(
      fc.property(fc.array(range, { minLength: 1, maxLength: 5 }), address, (allowedIps, from) => {
        const isAllowed = allowedIps.some((one) => messageOf({ allowedIps: [one] }, { address: from }) === "");
        expect(messageOf({ allowedIps }, { address: from }) === "").toBe(isAllowed);
      }),
    );
  });
});

describe("allowed_origins", () => {
  const allowedOrigins = ["https://app.example", "https://b.example:8443", "capacitor://localhost"];

  test.each(allowedOrigins)("%s is admitted", (origin) => {
    expect(messageOf({ type: "publishable", allowedOrigins }, { origin, isFromBrowser: true })).toBe("");
  });

  test.each([
    ...[
      "https://app.example.evil.example",
      "https://evil.app.example",
      "http://app.example",
      "https://app.example:443",
    ],
    ...["https://b.example", "HTTPS://APP.EXAMPLE", "https://app.example/", "null", "", "*"],
  ])("%s is not, and the message shows nothing of the list", (origin) => {
    const message = messageOf({ type: "publishable", allowedOrigins }, { origin });
    expect(message).toContain("allowed_origins, and the Origin of this request is not among them");
    for (const shown of allowedOrigins) expect(message).not.toContain(shown);
  });

  test("a request without Origin is denied, and the message says what an app needs", () => {
    const message = messageOf({ type: "publishable", allowedOrigins }, { origin: null });
    expect(message).toMatch(/has no Origin.*An app that is not a web page needs a key without the list\.$/);
  });

  test("without a list every Origin is admitted, and none", () => {
    for (const origin of [null, "null", "https://a.example"])
      expect(messageOf({ type: "publishable" }, { origin })).toBe("");
  });
});

describe("a secret key in a browser", () => {
  test("is denied before its address is checked, and the message says to use a publishable key", () => {
    const message = messageOf({ allowedIps: ["192.0.2.1"] }, { isFromBrowser: true });
    expect(message).toMatch(/^This is a secret key.*use a publishable key/);
  });

  test("is admitted with allow_browser, as a publishable key always is", () => {
    expect(messageOf({ allowBrowser: true }, { isFromBrowser: true })).toBe("");
    for (const allowBrowser of [true, false])
      expect(messageOf({ type: "publishable", allowBrowser }, { isFromBrowser: true })).toBe("");
  });

  test("an Origin alone makes no request a browser's", () => {
    expect(messageOf({}, { origin: "https://app.example" })).toBe("");
  });
});

const checkedFence = (input: FenceInput, type: "secret" | "publishable") => ({
  allowedIps: checkedIps(input.allowedIps),
  allowedOrigins: checkedOrigins(input.allowedOrigins, type),
  allowBrowser: checkedBrowser(input.allowBrowser, type),
});

describe("a fence of a request", () => {
  test("has the defaults, and loses duplicates", () => {
    expect(checkedFence(NOTHING, "secret")).toEqual({ allowedIps: [], allowedOrigins: [], allowBrowser: false });
    expect(checkedFence(NOTHING, "publishable")).toMatchObject({ allowBrowser: true });
    const allowedIps = ["192.0.2.1", "2001:DB8::/32", "192.0.2.1"];
    expect(checkedFence({ ...NOTHING, allowedIps }, "secret").allowedIps).toEqual(["192.0.2.1", "2001:DB8::/32"]);
  });

  test.each([
    [{ allowedIps: ["192.0.2.1", "10.1.2.3/8"] }, "secret", "allowed_ips[1]: has bits set after the first 8"],
    [{ allowedIps: ["fe80::1%eth0"] }, "secret", "allowed_ips[0]: is neither an IP address nor a CIDR"],
    [{ allowedIps: ["192.0.2.1:443"] }, "secret", "allowed_ips[0]: is neither"],
    [{ allowedIps: ["[2001:db8::1]"] }, "secret", "allowed_ips[0]: is neither"],
    [{ allowedIps: ["example.com"] }, "publishable", "allowed_ips[0]: is neither"],
    [{ allowedIps: [""] }, "publishable", "allowed_ips[0]: is neither"],
    [{ allowedOrigins: ["https://a.example"] }, "secret", "allowed_origins: is only for publishable keys"],
    [{ allowedOrigins: ["https://a.example/"] }, "publishable", "this one is sent as https://a.example"],
    [{ allowedOrigins: ["https://a.example:443"] }, "publishable", "this one is sent as https://a.example"],
    [{ allowedOrigins: ["HTTPS://A.example"] }, "publishable", "this one is sent as https://a.example"],
    [{ allowedOrigins: ["https://bücher.example"] }, "publishable", "is sent as https://xn--bcher-kva.example"],
    [{ allowedOrigins: ["https://u:p@a.example"] }, "publishable", "is sent as https://a.example"],
    [{ allowedOrigins: ["https://*.a.example"] }, "publishable", "allowed_origins[0]: must have no wildcard"],
    [{ allowedOrigins: ["*"] }, "publishable", "allowed_origins[0]: must have no wildcard"],
    [{ allowedOrigins: ["null"] }, "publishable", "allowed_origins[0]: must not be null"],
    [{ allowedOrigins: ["a.example"] }, "publishable", "allowed_origins[0]: must be an origin"],
    [{ allowedOrigins: ["file:///a"] }, "publishable", "allowed_origins[0]: must be an origin"],
    [{ allowedOrigins: ["Capacitor://localhost/"] }, "publishable", "allowed_origins[0]: must be an origin"],
    [{ allowBrowser: true }, "publishable", "allow_browser: is only for secret keys"],
    [{ allowBrowser: false }, "publishable", "allow_browser: is only for secret keys"],
  ] as const)("%j of a %s key is a fault that names member and index", (fields, type, message) => {
    expect(() => checkedFence({ ...NOTHING, ...fields }, type)).toThrow(message);
  });

  test.each(["http://localhost:3000", "https://[::1]:8443", "capacitor://localhost", "chrome-extension://abc"])(
    "%s is an origin",
    (origin) => {
      expect(checkedFence({ ...NOTHING, allowedOrigins: [origin] }, "publishable").allowedOrigins).toEqual([origin]);
    },
  );
});

test("what a fence requires is said in sentences, and nothing of a key without one", () => {
  expect(fenceRequirements(PUBLISHABLE)).toBe("");
  expect(fenceRequirements({ ...SECRET, allowBrowser: true })).toBe("");
  expect(fenceRequirements({ ...SECRET, allowedIps: ["192.0.2.1", "10.0.0.0/8"] })).toBe(
    "Requests must not come from a browser. Requests must come from 192.0.2.1, 10.0.0.0/8.",
  );
  const allowedOrigins = ["https://a.example", "https://b.example"];
  expect(fenceRequirements({ ...PUBLISHABLE, allowedOrigins })).toBe(
    "Requests must have the Origin https://a.example or https://b.example.",
  );
});
