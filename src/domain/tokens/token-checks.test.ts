// promise: oidc.form, oidc.narrowing, oidc.check
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { OidcConfig } from "../credentials/key.ts";
import { tokenExpectation, userExpectation } from "../keys/oidc-expectation.ts";
import { Denial, type DenialReason } from "../vocabulary/denial.ts";
import type { Claims, TokenKind } from "./claims.ts";
import { findClaim, unmetClaim } from "./claims.ts";
import { identifierClaim } from "./identifier-claim.ts";
import { diagnose, requireAll } from "./token-check.ts";
import { TOKEN_CHECKS } from "./token-checks.ts";
import { checkedUser, USER_CHECKS } from "./user-checks.ts";

const NOW_S = 1_800_000_000;
const OIDC: OidcConfig = {
  issuer: "https://idp.example",
  jwksUrl: "https://idp.example/jwks.json",
  audience: "app",
  userIdClaim: "sub",
  requiredClaims: {},
};
const CLAIMS: Claims = { iss: OIDC.issuer, aud: "app", sub: "user_1", exp: NOW_S + 60 };

/** The id of the user who is admitted, or the denial, as requests run the checks. */
function decide(claims: Claims, oidc: OidcConfig, kind: TokenKind): string | Denial {
  try {
    requireAll(TOKEN_CHECKS, { claims, kind, nowS: NOW_S }, tokenExpectation("ten_1", oidc));
    return `user ${checkedUser(claims, userExpectation(oidc))}`;
  } catch (err) {
    if (err instanceof Denial) return err;
    throw err;
  }
}

function outcomeOf(claims: Claims, oidc: OidcConfig, kind: TokenKind = "unmarked"): string {
  const decision = decide(claims, oidc, kind);
  return typeof decision === "string" ? decision : decision.reason;
}

/** The first failed check of a diagnosis. Undefined: none failed. */
function firstFailed(claims: Claims, oidc: OidcConfig, kind: TokenKind) {
  const results = [
    ...diagnose(TOKEN_CHECKS, { claims, kind, nowS: NOW_S }, tokenExpectation("ten_1", oidc)),
    ...diagnose(USER_CHECKS, claims, userExpectation(oidc)),
  ];
  return results.find(({ passed }) => !passed);
}

/** The checks as they were before any of the optional members existed, written without the code under test. */
function formerOutcome(claims: Claims, oidc: OidcConfig): string {
  const { iss, aud, exp, nbf, iat } = claims;
  if (iss !== oidc.issuer) return "jwt_invalid_issuer" satisfies DenialReason;
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audiences.every((member) => typeof member === "string") || !audiences.includes(oidc.audience))
    return "jwt_invalid_audience";
  if (typeof exp !== "number" || !Number.isFinite(exp) || exp >= 2 ** 53) return "jwt_malformed";
  if (NOW_S > exp + 5) return "jwt_expired";
  for (const [time, leeway] of [
    [nbf, 5],
    [iat, 60],
  ] as const) {
    if (time !== undefined && (typeof time !== "number" || !Number.isFinite(time))) return "jwt_malformed";
    if (time !== undefined && NOW_S < time - leeway) return "jwt_malformed";
  }
  const id = identifierClaim(claims, oidc.userIdClaim);
  if (id === undefined) return "user_id_claim_not_found";
  return unmetClaim(claims, oidc.requiredClaims) === undefined ? `user ${id}` : "jwt_malformed";
}

const times = fc.constantFrom<unknown>(
  undefined,
  null,
  "1",
  NOW_S,
  NOW_S - 6,
  NOW_S + 6,
  NOW_S + 61,
  Infinity,
  2 ** 53,
);
const parties = fc.constantFrom<unknown>(undefined, null, "app", "other", ["app"], 1);
const anyClaims: fc.Arbitrary<Claims> = fc
  .record({
    iss: fc.constantFrom<unknown>(OIDC.issuer, OIDC.issuer, `${OIDC.issuer}/`, undefined, [OIDC.issuer]),
    aud: fc.constantFrom<unknown>("app", ["app"], ["other", "app"], ["app", 1], [], "", undefined, null, "other"),
    azp: parties,
    client_id: parties,
    sub: fc.constantFrom<unknown>("user_1", "", 5, "x".repeat(256), undefined),
    exp: fc.oneof(fc.constant<unknown>(NOW_S + 60), times),
    nbf: fc.oneof(fc.constant<unknown>(undefined), times),
    iat: fc.oneof(fc.constant<unknown>(undefined), times),
    email_verified: fc.constantFrom<unknown>(true, false, "true", undefined),
    groups: fc.constantFrom<unknown>(["staff"], "staff admin", { staff: 1 }, [], undefined, true),
  })
  // As parsed JSON: a member of undefined is none.
  .map((claims) => Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined)));
const formerConfig: fc.Arbitrary<OidcConfig> = fc
  .record({ userIdClaim: fc.constantFrom("sub", "azp"), requiredClaims: fc.constantFrom({}, { azp: "app" }) })
  .map((members) => ({ ...OIDC, ...members }));
const options = fc.record(
  {
    authorizedParties: fc.constantFrom(["app"], ["app", "third"]),
    tokenType: fc.constantFrom("any" as const, "id" as const, "access" as const),
    claimRules: fc.constantFrom([{ claim: "email_verified", equals: true }], [{ claim: "groups", contains: "staff" }]),
  },
  { requiredKeys: [] },
);
const kinds = fc.constantFrom<TokenKind>("access", "svid", "unmarked");
const audienceClaims = fc.constantFrom("aud" as const, "azp" as const, "client_id" as const);
const runs = { numRuns: 3_000 };

describe("for any token", () => {
  test("a configuration without the optional members decides as it did before they existed", () => {
    const property = fc.property(anyClaims, formerConfig, kinds, (claims, oidc, kind) => {
      // Before it was allowed to JWT-SVIDs, the typ JOSE was malformed.
      const former = kind === "svid" ? "jwt_malformed" : formerOutcome(claims, oidc);
      expect(outcomeOf(claims, oidc, kind)).toBe(former);
    });
    fc.assert(property, runs);
  });

  test("an optional member only narrows, and an audienceClaim widens only for tokens without aud", () => {
    const property = fc.property(anyClaims, formerConfig, options, kinds, (claims, oidc, narrower, kind) => {
      const without = outcomeOf(claims, oidc, kind);
      const outcome = outcomeOf(claims, { ...oidc, ...narrower }, kind);
      if (outcome.startsWith("user ")) expect(outcome).toBe(without);
    });
    fc.assert(property, runs);
    const widening = fc.property(
      anyClaims,
      formerConfig,
      audienceClaims,
      kinds,
      (claims, oidc, audienceClaim, kind) => {
        const outcome = outcomeOf(claims, { ...oidc, audienceClaim }, kind);
        if (Object.hasOwn(claims, "aud") || audienceClaim === "aud")
          expect(outcome).toBe(outcomeOf(claims, oidc, kind));
        else if (outcome.startsWith("user ")) expect(claims[audienceClaim]).toBe(oidc.audience);
      },
    );
    fc.assert(widening, runs);
  });

  test("a diagnosis fails where a request is denied, with the same message first", () => {
    const property = fc.property(
      anyClaims,
      formerConfig,
      options,
      audienceClaims,
      kinds,
      (claims, oidc, more, audienceClaim, kind) => {
        const config = { ...oidc, ...more, audienceClaim };
        const decision = decide(claims, config, kind);
        const failed = firstFailed(claims, config, kind);
        expect(failed?.detail).toBe(typeof decision === "string" ? undefined : decision.message);
      },
    );
    fc.assert(property, runs);
  });
});

describe("an audience", () => {
  const withoutAud = (claims: object): Claims => ({ ...CLAIMS, aud: undefined, ...claims });

  test.each(["azp", "client_id"] as const)("may be in %s where the token has no aud", (audienceClaim) => {
    const oidc = { ...OIDC, audienceClaim };
    expect(outcomeOf(withoutAud({ [audienceClaim]: "app" }), oidc)).toBe("user user_1");
    for (const value of ["other", ["app"], null, undefined])
      expect(outcomeOf(withoutAud({ [audienceClaim]: value }), oidc)).toBe("jwt_invalid_audience");
    for (const aud of ["other", [], null, ""])
      expect(outcomeOf({ ...CLAIMS, aud, [audienceClaim]: "app" }, oidc)).toBe("jwt_invalid_audience");
    expect(outcomeOf(withoutAud({ [audienceClaim]: "app" }), OIDC)).toBe("jwt_invalid_audience");
  });

  test("in another claim is refused by that claim's name", () => {
    const oidc = { ...OIDC, audienceClaim: "azp" } as const;
    const problems = [undefined, "app/", "b", 5].map(
      (azp) => firstFailed(withoutAud({ azp }), oidc, "unmarked")?.detail,
    );
    expect(problems).toEqual([
      "The user token lacks the claim aud, and azp, which the key reads in its place; send a token that has one of them.",
      'The user token lacks the claim aud, and its azp claim "app/" differs from the configured audience only in the slash at its end, which the configuration lacks; set both to the same text.',
      'The user token lacks the claim aud, and its azp claim "b" differs from the configured audience; send a token issued for that audience.',
      "The user token's azp claim is a number instead of a string; have its issuer make it one.",
    ]);
  });
});

describe("the authorized parties", () => {
  const oidc = { ...OIDC, authorizedParties: ["web", "ios"] };

  test("must have the claim azp among them", () => {
    expect(outcomeOf({ ...CLAIMS, azp: "ios" }, oidc)).toBe("user user_1");
    for (const azp of ["IOS", "", ["ios"], null, undefined])
      expect(outcomeOf({ ...CLAIMS, azp }, oidc)).toBe("jwt_invalid_audience");
  });

  test("have it in client_id of an access token (RFC 9068) without azp, and of no other", () => {
    const outcome = (claims: object, kind: TokenKind) => outcomeOf({ ...CLAIMS, ...claims }, oidc, kind);
    expect(outcome({ client_id: "ios" }, "access")).toBe("user user_1");
    for (const claims of [{ client_id: "android" }, { client_id: ["ios"] }, {}, { azp: "android", client_id: "ios" }])
      expect(outcome(claims, "access")).toBe("jwt_invalid_audience");
    expect(outcome({ azp: null, client_id: "ios" }, "access")).toBe("jwt_invalid_audience");
    expect(outcome({ client_id: "ios" }, "unmarked")).toBe("jwt_invalid_audience");
    const detail = firstFailed({ ...CLAIMS, client_id: "android" }, oidc, "access")?.detail;
    expect(detail).toMatch(/client_id claim "android" is not one of the key's authorizedParties/);
  });

  test("are not quoted to the caller", () => {
    for (const azp of ["android", 5, undefined]) {
      const detail = firstFailed({ ...CLAIMS, azp }, oidc, "unmarked")?.detail;
      expect(detail).toMatch(/azp.*authorizedParties/);
      expect(detail).not.toMatch(/web|ios/);
    }
  });
});

test("a token type is decided by typ: access needs at+jwt, id refuses it", () => {
  const outcomes = (["any", "id", "access"] as const).map((tokenType) =>
    (["access", "unmarked"] as const).map((kind) => outcomeOf(CLAIMS, { ...OIDC, tokenType }, kind)),
  );
  expect(outcomes).toEqual([
    ["user user_1", "user user_1"],
    ["jwt_malformed", "user user_1"],
    ["user user_1", "jwt_malformed"],
  ]);
});

describe("a claim rule", () => {
  const outcome = (rule: NonNullable<OidcConfig["claimRules"]>[number], claims: object) =>
    outcomeOf({ ...CLAIMS, ...claims }, { ...OIDC, claimRules: [rule] }).startsWith("user ");

  test.each([true, false, "true", 1, 0, "", "a b"])("equals %j and nothing else", (equals) => {
    for (const value of [true, false, "true", 1, 0, "", "a b", null, [equals], { a: equals }])
      expect(outcome({ claim: "c", equals }, { c: value })).toBe(value === equals);
    expect(outcome({ claim: "c", equals }, {})).toBe(false);
    expect(outcome({ claim: "c.d", equals }, { c: { d: equals } })).toBe(true);
  });

  test("contains a whole name, and never a part of one", () => {
    const rule = { claim: "groups", contains: "staff" };
    for (const groups of [["a", "staff"], { staff: {} }]) expect(outcome(rule, { groups })).toBe(true);
    for (const groups of [["staffs"], ["a staff"], "staff", { a: "staff" }, [["staff"]], 5, true, null])
      expect(outcome(rule, { groups })).toBe(false);
    expect(outcome(rule, {})).toBe(false);
  });

  // threat: J30
  test("contains a word of the text of scope and scp, and of no other text", () => {
    for (const claim of ["scope", "scp"]) {
      expect(outcome({ claim, contains: "staff" }, { [claim]: "a staff b" })).toBe(true);
      expect(outcome({ claim, contains: "staff" }, { [claim]: "a staffs" })).toBe(false);
    }
    for (const claim of ["sub", "name", "groups", "scopes", "a.scope"])
      for (const text of ["staff", "a staff", "a,staff", "staff a"])
        expect(outcome({ claim, contains: "staff" }, { [claim]: text, a: { scope: text } })).toBe(false);
  });

  test("must be satisfied with all others", () => {
    const claimRules = [
      { claim: "a", equals: 1 },
      { claim: "b", equals: 2 },
    ];
    expect(outcomeOf({ ...CLAIMS, a: 1, b: 2 }, { ...OIDC, claimRules })).toBe("user user_1");
    expect(outcomeOf({ ...CLAIMS, a: 1 }, { ...OIDC, claimRules })).toBe("jwt_malformed");
    expect(outcomeOf({ ...CLAIMS, b: 2 }, { ...OIDC, claimRules })).toBe("jwt_malformed");
  });

  test("does not find what objects inherit", () => {
    expect(findClaim({}, "constructor.name")).toBeUndefined();
    expect(outcome({ claim: "constructor.name", equals: "Object" }, {})).toBe(false);
  });
});

describe("a prefix of user ids", () => {
  test("stands before each id, so that two issuers share no user", () => {
    expect(outcomeOf(CLAIMS, { ...OIDC, userIdPrefix: "auth0|" })).toBe("user auth0|user_1");
  });

  test("leaves ids of at most 256 characters", () => {
    const oidc = { ...OIDC, userIdPrefix: "p".repeat(64) };
    expect(outcomeOf({ ...CLAIMS, sub: "x".repeat(192) }, oidc)).toMatch(/^user p{64}x{192}$/);
    expect(outcomeOf({ ...CLAIMS, sub: "x".repeat(193) }, oidc)).toBe("user_id_claim_not_found");
  });

  test("makes no id of a claim that has none", () => {
    for (const sub of ["", 5, undefined, null])
      expect(outcomeOf({ ...CLAIMS, sub }, { ...OIDC, userIdPrefix: "p" })).toBe("user_id_claim_not_found");
  });
});
