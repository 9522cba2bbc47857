// promise: tokens.times
import { describe, expect, test } from "vitest";
import { generateKey, ISSUER, START_S, signToken, startProvider, validClaims } from "../../../test/jwks/provider.ts";

const KEY = generateKey("ES256");

/** Verifies one token signed with KEY. */
async function checkClaims(payload: Record<string, unknown> | string | Uint8Array) {
  const { checkToken } = await startProvider(KEY);
  return checkToken(signToken(KEY, payload));
}

describe("issuer and audience", () => {
  // threat: J11
  test.each([
    `${ISSUER}/`,
    ISSUER.toUpperCase(),
    ISSUER.slice(0, -1),
    `${ISSUER}.evil.example`,
    ` ${ISSUER}`,
    [ISSUER],
    null,
    undefined,
    1,
  ])("iss %j is not the issuer", async (iss) => {
    expect(await checkClaims(validClaims({ iss }))).toBe("jwt_invalid_issuer");
  });

  // threat: J12
  test.each(["app", ["app"], ["other", "app"]])("aud %j is accepted", async (aud) => {
    expect(await checkClaims(validClaims({ aud }))).toMatchObject({ aud });
  });

  // threat: J12
  test.each([
    [[1, "app"]],
    [["app", null]],
    [[]],
    [undefined],
    [null],
    ["ap"],
    ["apps"],
    ["APP"],
    [["APP"]],
    [{ app: 1 }],
    [[["app"]]],
  ])("aud %j is refused", async (aud) => {
    expect(await checkClaims(validClaims({ aud }))).toBe("jwt_invalid_audience");
  });

  // threat: J24
  test("an issuer of another configuration at the same key set is refused", async () => {
    const { checkToken } = await startProvider(KEY);
    expect(await checkToken(signToken(KEY))).toEqual(validClaims());
    expect(await checkToken(signToken(KEY), { issuer: "https://other.example" })).toBe("jwt_invalid_issuer");
    expect(await checkToken(signToken(KEY), { audience: "other" })).toBe("jwt_invalid_audience");
  });

  // threat: J13
  test("of duplicate members the last one counts", async () => {
    const text = JSON.stringify(validClaims());
    expect(await checkClaims(text.replace("{", '{"iss":"https://evil.example",'))).toEqual(validClaims());
    expect(await checkClaims(text.replace("}", ',"iss":"https://evil.example"}'))).toBe("jwt_invalid_issuer");
  });
});

describe("times", () => {
  const at = (exp: number) => checkClaims(validClaims({ exp }));

  // threat: J8
  test("a token serves until 5 s after its exp", async () => {
    expect(await at(START_S)).toMatchObject({ exp: START_S });
    expect(await at(START_S - 5)).toMatchObject({ exp: START_S - 5 });
    expect(await at(START_S - 5.001)).toBe("jwt_expired");
    expect(await at(START_S - 6)).toBe("jwt_expired");
    expect(await at(0)).toBe("jwt_expired");
    expect(await at(-1e308)).toBe("jwt_expired");
    expect(await at(2 ** 53 - 1)).toMatchObject({ exp: 2 ** 53 - 1 });
  });

  test("the clock passed in decides", async () => {
    const { checkToken, advance } = await startProvider(KEY);
    const token = signToken(KEY, validClaims({ exp: START_S + 60 }));
    advance(65_000);
    expect(await checkToken(token)).toMatchObject({ exp: START_S + 60 });
    advance(1);
    expect(await checkToken(token)).toBe("jwt_expired");
  });

  // threat: J9
  test.each([
    ...['"exp":1e400', '"exp":-1e400', '"exp":1e308', '"exp":9007199254740992'],
    ...['"exp":"1893456000"', '"exp":null', '"exp":true', '"exp":[1]', '"x":1'],
  ])("a token with %s has no end and is malformed", async (member) => {
    const { verifier, server } = await startProvider(KEY);
    const token = signToken(KEY, `{"iss":"${ISSUER}","aud":"app",${member}}`);
    const verdict = verifier.verify(token, {
      issuer: ISSUER,
      audience: "app",
      jwksUrl: server.url,
      jwksOwner: { kind: "operator" },
    });
    await expect(verdict).rejects.toMatchObject({ reason: "jwt_malformed" });
    await expect(verdict).rejects.toThrow(/\bexp\b/);
  });

  // threat: J10
  test("nbf and iat in the future are malformed, beyond their leeway", async () => {
    expect(await checkClaims(validClaims({ nbf: START_S + 5 }))).toMatchObject({ nbf: START_S + 5 });
    expect(await checkClaims(validClaims({ nbf: START_S + 6 }))).toBe("jwt_malformed");
    for (const nbf of ["1", null, [1]]) expect(await checkClaims(validClaims({ nbf }))).toBe("jwt_malformed");
    expect(await checkClaims(JSON.stringify(validClaims()).replace("{", '{"nbf":-1e400,'))).toBe("jwt_malformed");
    expect(await checkClaims(validClaims({ iat: START_S + 60 }))).toMatchObject({ iat: START_S + 60 });
    for (const iat of [START_S + 61, START_S + 3_600]) {
      expect(await checkClaims(validClaims({ iat }))).toBe("jwt_malformed");
    }
  });

  test("iat is malformed unless absent or a finite number, like nbf", async () => {
    for (const iat of ["1", null, [1], {}, true]) {
      expect(await checkClaims(validClaims({ iat }))).toBe("jwt_malformed");
    }
    expect(await checkClaims(JSON.stringify(validClaims({ iat: undefined })).replace("{", '{"iat":-1e400,'))).toBe(
      "jwt_malformed",
    );
    expect(await checkClaims(validClaims({ iat: undefined }))).toMatchObject({ sub: "user_1" });
  });
});
