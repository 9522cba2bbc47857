import { describe, expect, test } from "vitest";
import type { OidcConfig } from "./key.ts";
import { checkedOidc, isCompleteOidc } from "./oidc.ts";

const OIDC: OidcConfig = {
  issuer: "https://idp.example",
  jwksUrl: "https://idp.example/jwks.json",
  audience: "app",
  userIdClaim: "uid",
  requiredClaims: { plan: "pro" },
};
const EMOJI = "😀";

function problemOf(changes: Partial<OidcConfig>): string {
  try {
    checkedOidc({ ...OIDC, ...changes }, []);
    return "";
  } catch (err) {
    return err instanceof Error ? err.message : String(err);
  }
}

function manyClaims(count: number, valueChars = 1): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`c${n}`, "v".repeat(valueChars)]));
}

describe("a configuration", () => {
  test("is kept as it was given, with sub as the claim of the user id if none was", () => {
    expect(checkedOidc(OIDC, [])).toEqual(OIDC);
    expect(checkedOidc({ ...OIDC, userIdClaim: "" }, [])).toEqual({ ...OIDC, userIdClaim: "sub" });
    const local = { issuer: "http://idp.test:8080", jwksUrl: "http://127.0.0.1:8080/" };
    const allowed = ["idp.test:8080", "127.0.0.1:8080"];
    expect(checkedOidc({ ...OIDC, ...local }, allowed)).toMatchObject(local);
  });

  test.each<[Partial<OidcConfig>, string]>([
    [{ issuer: "" }, "issuer: is required"],
    [{ issuer: "http://idp.example" }, "issuer: must be an absolute https URL"],
    [{ jwksUrl: "" }, "jwksUrl: is required"],
    [{ jwksUrl: "https://localhost/" }, "jwksUrl: must name a public host"],
    [{ audience: "" }, "audience: is required"],
    [{ audience: " \u200b" }, "audience: is required"],
    [{ audience: "a".repeat(1_025) }, "audience: must be at most 1024 characters"],
    [{ audience: EMOJI.repeat(1_025) }, "audience: must be at most 1024 characters"],
    [{ userIdClaim: "u".repeat(257) }, "userIdClaim: must be at most 256 characters"],
    [{ requiredClaims: manyClaims(33) }, "requiredClaims: must be at most 32 claims"],
    [{ requiredClaims: { a: "1", "": "2" } }, "requiredClaims: must not have a claim with an empty name"],
    [{ requiredClaims: JSON.parse('{"__proto__":"1"}') }, 'requiredClaims: must not have a claim named "__proto__"'],
    [
      { requiredClaims: { ok: "1", ["n".repeat(257)]: "2" } },
      `requiredClaims: the name of the claim "${"n".repeat(128)}..." must be at most 256 characters`,
    ],
    [
      { requiredClaims: { ok: "1", plan: "v".repeat(1_025) } },
      'requiredClaims: the value of the claim "plan" must be at most 1024 characters',
    ],
  ])("with a member that breaks a rule names it (%#)", (changes, problem) => {
    expect(problemOf(changes)).toContain(`publishableConfig.oidc.${problem}`);
  });

  test("may be as long as its bounds say, in characters and not in UTF-16 units", () => {
    expect(problemOf({ audience: EMOJI.repeat(1_024) })).toBe("");
    expect(problemOf({ userIdClaim: EMOJI.repeat(256) })).toBe("");
    expect(problemOf({ requiredClaims: manyClaims(32) })).toBe("");
    expect(problemOf({ requiredClaims: { [EMOJI.repeat(256)]: EMOJI.repeat(1_024) } })).toBe("");
  });

  test("has at most 16 KiB as JSON: the claims are to blame, if there are any", () => {
    const bytesOf = (requiredClaims: Record<string, string>) =>
      Buffer.byteLength(JSON.stringify({ ...OIDC, requiredClaims }));
    const claims = manyClaims(16, 1_000);
    const left = 16_384 - bytesOf(claims);
    const full = { ...claims, c0: `v${"v".repeat(999)}`, c15: "v".repeat(1_000) };
    const exact = { ...full, last: "v".repeat(left - Buffer.byteLength(',"last":""')) };
    expect(bytesOf(exact)).toBe(16_384);
    expect(problemOf({ requiredClaims: exact })).toBe("");
    expect(problemOf({ requiredClaims: { ...exact, last: `${exact.last}v` } })).toBe(
      "publishableConfig.oidc.requiredClaims: must be fewer or shorter; all of publishableConfig.oidc has at most 16384 bytes as JSON, and this one 16385",
    );
  });

  test("that is too long without claims is to blame as a whole", () => {
    // A control character is one character in a text and six bytes in JSON.
    const audience = `a${"\u0001".repeat(1_023)}`;
    const url = `https://idp.example/${"日".repeat(2_028)}`;
    expect(problemOf({ issuer: url, audience, requiredClaims: {} })).toBe("");
    expect(problemOf({ issuer: url, jwksUrl: url, audience, requiredClaims: {} })).toMatch(
      /^publishableConfig\.oidc: must be shorter; publishableConfig\.oidc has at most 16384 bytes as JSON, and this one 18\d{3}$/,
    );
  });
});

describe("a stored configuration", () => {
  test("is complete with all of its members", () => {
    expect(isCompleteOidc(OIDC)).toBe(true);
    expect(isCompleteOidc({ ...OIDC, requiredClaims: {} })).toBe(true);
  });

  test.each([
    null,
    ...["issuer", "jwksUrl", "audience", "userIdClaim"].flatMap((member) => [
      { ...OIDC, [member]: "" },
      { ...OIDC, [member]: undefined },
      { ...OIDC, [member]: 1 },
    ]),
    { ...OIDC, requiredClaims: null },
    { ...OIDC, requiredClaims: undefined },
    { ...OIDC, requiredClaims: "plan" },
  ])("is incomplete without one of them (%#)", (stored) => {
    expect(isCompleteOidc(stored as OidcConfig | null)).toBe(false);
  });
});
