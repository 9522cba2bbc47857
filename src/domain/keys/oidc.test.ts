// promise: oidc.form
import { describe, expect, test } from "vitest";
import type { OidcConfig } from "../credentials/key.ts";
import { checkedOidc, createUsableOidc, isCompleteOidc, type OidcInput, type OidcRules } from "./oidc.ts";

const OIDC: OidcConfig = {
  issuer: "https://idp.example",
  jwksUrl: "https://idp.example/jwks.json",
  audience: "app",
  userIdClaim: "uid",
  requiredClaims: { plan: "pro" },
};
const RULES: OidcRules = { jwksAllowedHosts: [], isOwnIssuer: (text) => text.startsWith("https://keys.example") };
const EMOJI = "😀";

function problemOf(changes: Partial<OidcInput>): string {
  try {
    checkedOidc({ ...OIDC, ...changes }, RULES);
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
    expect(checkedOidc(OIDC, RULES)).toEqual(OIDC);
    expect(checkedOidc({ ...OIDC, userIdClaim: "" }, RULES)).toEqual({ ...OIDC, userIdClaim: "sub" });
    const local = { issuer: "http://idp.test:8080", jwksUrl: "http://127.0.0.1:8080/" };
    const allowed = ["idp.test:8080", "127.0.0.1:8080"];
    expect(checkedOidc({ ...OIDC, ...local }, { ...RULES, jwksAllowedHosts: allowed })).toMatchObject(local);
  });

  test.each<[Partial<OidcInput>, string]>([
    [{ issuer: "" }, "issuer: is required"],
    [{ issuer: "a b" }, "issuer: must be visible characters"],
    [{ issuer: "https://idp.example/{tenantid}/v2.0" }, "issuer: must not contain { or }"],
    [
      { issuer: "idp", jwksUrl: "" },
      "jwksUrl: is required, because it cannot be discovered: for that, the issuer must be",
    ],
    [{ issuer: "https://localhost", jwksUrl: "" }, "jwksUrl: is required, because it cannot be discovered"],
    [{ issuer: "https://idp.example?a=1", jwksUrl: "" }, "for that, the issuer must not have a query"],
    [{ jwksUrl: "https://localhost/" }, "jwksUrl: must name a public host"],
    [{ audience: "" }, "audience: is required: without it, tokens that the provider issued to any other app"],
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
    expect(problemOf(changes)).toMatch(/^publishableConfig\.oidc\.\w+: /);
    expect(problemOf(changes)).toContain(problem);
  });

  const options = {
    audienceClaim: "azp",
    authorizedParties: ["a", "b"],
    tokenType: "access",
    claimRules: [
      { claim: "email_verified", equals: true },
      { claim: "level", equals: 2 },
      { claim: "groups", contains: "staff" },
    ],
    userIdPrefix: "auth0|",
  } as const;

  test("has the optional members that are set, and no others", () => {
    expect(checkedOidc({ ...OIDC, ...options }, RULES)).toEqual({ ...OIDC, ...options });
    const unset = { audienceClaim: "", tokenType: undefined, claimRules: undefined, userIdPrefix: "" };
    expect(Object.keys(checkedOidc({ ...OIDC, ...unset }, RULES))).toEqual(Object.keys(OIDC));
  });

  test("without the address of the key set may have it discovered from an https issuer", () => {
    expect(checkedOidc({ ...OIDC, jwksUrl: "" }, RULES).jwksUrl).toBeUndefined();
  });

  test.each<[Partial<OidcInput>, string]>([
    [{ audienceClaim: "sub" }, "audienceClaim: must be one of aud, azp, client_id; any other claim"],
    [{ audienceClaim: "AZP" }, "audienceClaim: must be one of"],
    [{ tokenType: "refresh" }, "tokenType: must be one of any, id, access"],
    [{ authorizedParties: "a" }, "authorizedParties: must be an array of texts, not a string"],
    [{ authorizedParties: [] }, "authorizedParties: must have a value"],
    [{ authorizedParties: ["a", 1] }, "authorizedParties: value 1 must be a text"],
    [{ authorizedParties: ["\u200b"] }, "authorizedParties: value 0 must be a text"],
    [{ authorizedParties: ["a".repeat(1_025)] }, "must be at most 1024 characters"],
    [{ authorizedParties: Array.from({ length: 33 }, String) }, "authorizedParties: must be at most 32 values"],
    [{ claimRules: {} }, "claimRules: must be an array of rules, not an object"],
    [{ claimRules: [] }, "claimRules: must have a rule"],
    [{ claimRules: Array.from({ length: 33 }, () => ({ claim: "a", equals: 1 })) }, "claimRules: must be at most 32"],
    [{ claimRules: [{ claim: "a", equals: 1 }, null] }, "claimRules: rule 1 must be an object"],
    [{ claimRules: [{ equals: 1 }] }, "claimRules: rule 0 must name a claim"],
    [{ claimRules: [{ claim: "" }] }, "claimRules: rule 0 must name a claim"],
    [{ claimRules: [{ claim: "a".repeat(257), equals: 1 }] }, "must name a claim of at most 256 characters"],
    [{ claimRules: [{ claim: "a" }] }, "must have claim and exactly one of equals and contains"],
    [{ claimRules: [{ claim: "a", equals: 1, contains: "b" }] }, "must have claim and exactly one of"],
    [{ claimRules: [{ claim: "a", equal: 1 }] }, 'it has the unknown member "equal"'],
    [{ claimRules: [{ claim: "a", equals: 1, of: 2 }] }, 'it has the unknown member "of"'],
    [{ claimRules: [{ claim: "a", equals: null }] }, "must have a text, a number or a boolean in equals, not null"],
    [{ claimRules: [{ claim: "a", equals: Number.NaN }] }, "must not have a number beyond those of a double"],
    [{ claimRules: [{ claim: "a", equals: 1e300 }] }, "must not have a number beyond those of a double"],
    [{ claimRules: [{ claim: "a", equals: ["b"] }] }, "in equals, not an array"],
    [
      { claimRules: [{ claim: "a", equals: "b".repeat(1_025) }] },
      "must have a text of at most 1024 characters in equals",
    ],
    [{ claimRules: [{ claim: "a", contains: 1 }] }, "must have a text that is not empty in contains, not a number"],
    [
      { claimRules: [{ claim: "a", contains: "" }] },
      "must have a text that is not empty in contains, not an empty one",
    ],
    [{ userIdPrefix: "p".repeat(65) }, "userIdPrefix: must be at most 64 characters"],
    [{ userIdPrefix: "a\nb" }, "userIdPrefix: must have a visible character and no control character"],
    [{ userIdPrefix: " " }, "userIdPrefix: must have a visible character"],
  ])("with an optional member that breaks a rule names it (%#)", (changes, problem) => {
    expect(problemOf(changes)).toMatch(
      /^publishableConfig\.oidc\.(audienceClaim|authorizedP|tokenType|claimR|userIdP)/,
    );
    expect(problemOf(changes)).toContain(problem);
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
    const issuer = "日".repeat(2_048);
    expect(problemOf({ issuer, audience, requiredClaims: {} })).toBe("");
    expect(problemOf({ issuer, jwksUrl: url, audience, requiredClaims: {} })).toMatch(
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
    { ...OIDC, audienceClaim: "sub" },
    { ...OIDC, tokenType: "refresh" },
    { ...OIDC, authorizedParties: "a" },
    { ...OIDC, claimRules: {} },
    { ...OIDC, userIdPrefix: 1 },
    { ...OIDC, restrictionOfALaterVersion: true },
  ])("is incomplete without one of them (%#)", (stored) => {
    expect(isCompleteOidc(stored as OidcConfig | null)).toBe(false);
  });
});

describe("this service's own issuer and key set", () => {
  test.each<[Partial<OidcInput>, string]>([
    [{ issuer: "https://keys.example" }, "publishableConfig.oidc.issuer"],
    [{ jwksUrl: "https://keys.example/.well-known/jwks.json" }, "publishableConfig.oidc.jwksUrl"],
  ])("are refused at create: %j", (changes, field) =>
    expect(problemOf(changes)).toMatch(new RegExp(`^${field}: must not lead to this service`)),
  );

  test("make a stored configuration unusable, however often it is asked about", () => {
    const isUsable = createUsableOidc(RULES.isOwnIssuer);
    const own = { ...OIDC, issuer: "https://keys.example" };
    const ownKeys = { ...OIDC, jwksUrl: "https://keys.example/.well-known/jwks.json" };
    for (let n = 0; n < 2; n++) expect([OIDC, own, ownKeys, null].map(isUsable)).toEqual([true, false, false, false]);
  });
});
