// promise: oidc.form, key-sets.addresses
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkIssuer, checkJwksUrl } from "./oidc-urls.ts";

const NOT_ABSOLUTE = "must be an absolute https URL";
const OPERATOR_MAY = ", unless the operator of this service allows its host and port in JWKS_ALLOWED_HOSTS";

describe("an issuer", () => {
  test.each([
    "https://idp.example",
    "https://idp.example/",
    "https://localhost:8443/#x",
    "http://idp.example",
    "stytch.com/project-test-00000000-0000-0000-0000-000000000000",
    "https://münchen.example/日",
    "accounts.google.com",
    "a",
    "😀".repeat(2_048),
  ])("may be any visible text: %s", (issuer) => expect(checkIssuer(issuer)).toBeUndefined());

  test.each([
    "",
    " ",
    "a b",
    "a\n",
    "\ta",
    "a\u0000",
    "a\u007f",
    "a\u2028",
    "a\u200b",
    "a\u202e",
    "\u2800\u3164",
    "\ud800",
  ])("must not have other characters: %j", (issuer) =>
    expect(checkIssuer(issuer)).toBe("must be visible characters, without white space and control characters"),
  );

  test.each(["https://login.microsoftonline.com/{tenantid}/v2.0", "{", "}"])("must be no template: %s", (issuer) => {
    expect(checkIssuer(issuer)).toMatch(/^must not contain \{ or \}: .* give the issuer of one/);
  });

  test("has at most 2,048 characters", () => {
    expect(checkIssuer("x".repeat(2_049))).toBe("must be at most 2048 characters");
    expect(checkIssuer("😀".repeat(2_049))).toBe("must be at most 2048 characters");
  });
});

describe("the URL of a key set", () => {
  const check = checkJwksUrl;
  const notHttps = NOT_ABSOLUTE + OPERATOR_MAY;

  test.each([
    "https://idp.example",
    "https://idp.example/",
    "https://idp.example:443/realms/a?x=1",
    "HTTPS://IDP.EXAMPLE/a%20b",
    "https://münchen.example/",
    "https://8.8.8.8/",
    "https://[2606:4700:4700::1111]/",
    "https://idp.example/@me",
  ])("may be %s", (url) => expect(check(url, [])).toBeUndefined());

  test.each([
    "",
    "idp.example",
    "/jwks.json",
    "//idp.example/",
    "https:idp.example",
    "https:/idp.example",
    "https:///idp.example",
    "https:\\\\idp.example",
    "https://idp.example\\@evil.example/",
    "https://",
    "https://idp.example:99999/",
    "https://[::1",
    "ftp://idp.example/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:application/json,{}",
    "blob:https://idp.example/x",
    "https://idp.example:443:443/",
    "https://a%00b/",
  ])("must not be %j", (url) => expect(check(url, [])).toBe(NOT_ABSOLUTE));

  // threat: F5
  test.each([
    "https://user:secret@idp.example/",
    "https://user@idp.example/",
    "https://@idp.example/",
    "https://:@idp.example/",
  ])("has no credentials: %s", (url) => {
    expect(check(url, [])).toBe("must not contain a user name or password");
    expect(check(url, ["idp.example:443"])).toBe("must not contain a user name or password");
  });

  test.each(["https://idp.example/#x", "https://idp.example/#", "https://idp.example#"])("has no fragment: %s", (url) =>
    expect(check(url, [])).toBe("must not have a fragment"),
  );

  test.each([
    " https://idp.example/",
    "https://idp.example/\n",
    "https://idp\t.example/",
    "https://idp.example/\u0000",
    "https://idp.example/\u2028",
    "https://idp.example/a b",
  ])("has no whitespace or control characters: %j", (url) =>
    expect(check(url, [])).toBe("must not contain whitespace or control characters"),
  );

  test("has at most 2,048 characters", () => {
    const longest = `https://idp.example/${"x".repeat(2_028)}`;
    expect(check(longest, [])).toBeUndefined();
    expect(check(`${longest}x`, [])).toBe("must be at most 2048 characters");
  });

  // threat: F5
  test("must not be http, and the message says who may allow it", () => {
    expect(check("http://idp.example/", [])).toBe(notHttps);
  });

  test("may be http for exactly an allow-listed host and port", () => {
    const allowed = ["Localhost:8080", "idp.example:80", "[::1]:9000"];
    for (const url of [
      "http://localhost:8080/x",
      "http://LOCALHOST:8080",
      "http://idp.example/",
      "http://[::1]:9000/",
    ]) {
      expect(check(url, allowed)).toBeUndefined();
    }
    for (const url of [
      "http://localhost/",
      "http://localhost:8081/",
      "http://a.localhost:8080/",
      "http://localhost.:8080/",
    ]) {
      expect(check(url, allowed)).toBe(notHttps);
    }
    for (const list of [["*"], ["localhost"], ["localhost:*"], [":8080"], [""]]) {
      expect(check("http://localhost:8080/", list)).toBe(notHttps);
    }
  });

  test("is checked without an exception for any text", () => {
    const property = fc.property(
      fc.oneof(
        fc.string(),
        fc.webUrl(),
        fc.string().map((text) => `https://${text}`),
      ),
      (url) => {
        const problem = check(url, []);
        if (problem === undefined) expect(new URL(url).protocol).toBe("https:");
        else expect(problem).toMatch(/^must /);
      },
    );
    fc.assert(property, { numRuns: 1_000 });
  });
});

describe("the host of a key set", () => {
  test.each([
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0x7f000001",
    "0177.0.0.1",
    "017700000001",
    "①②⑦.0.0.1",
    "127%2e0.0.1",
    "0.0.0.0",
    "0",
    "10.0.0.1",
    "169.254.169.254",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.localhost",
    "a.localhost.",
  ])("names a public host, which %s is not", (host) => {
    expect(checkJwksUrl(`https://${host}/`, [])).toBe(`must name a public host${OPERATOR_MAY}`);
  });

  // threat: F5
  test.each(["22", "80", "5432", "6379", "8443", "0"])("is on port 443 and not %s", (port) => {
    expect(checkJwksUrl(`https://idp.example:${port}/`, [])).toBe(`must use port 443${OPERATOR_MAY}`);
    expect(checkJwksUrl(`https://idp.example:${port}/`, [`idp.example:${port}`])).toBeUndefined();
  });

  test("may name a private host that is allow-listed", () => {
    expect(checkJwksUrl("https://localhost/", ["localhost:443"])).toBeUndefined();
    expect(checkJwksUrl("https://127.0.0.1:8443/", ["127.0.0.1:8443"])).toBeUndefined();
  });
});
