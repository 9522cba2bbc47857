// promise: tokens.types
import { describe, expect, test } from "vitest";
import { generateKey, signToken, startProvider, validClaims } from "../../../test/jwks/provider.ts";

const KEY = generateKey("ES256");
const LOGOUT = "http://schemas.openid.net/event/backchannel-logout";

async function verdictOf(header: Record<string, unknown>, claims: Record<string, unknown> = {}) {
  const { checkToken } = await startProvider(KEY);
  return checkToken(signToken(KEY, validClaims(claims), { alg: "ES256", kid: "k1", ...header }));
}

describe("typ", () => {
  test.each([undefined, "JWT", "jwt", "Jwt", "at+jwt", "AT+JWT", "application/jwt", "Application/AT+JWT"])(
    "%j is a user's token",
    async (typ) => {
      expect(await verdictOf({ typ })).toEqual(validClaims());
    },
  );

  test.each([
    ...["logout+jwt", "dpop+jwt", "secevent+jwt", "oauth-authz-req+jwt", "vc+jwt", "id_token"],
    ...["", " JWT", "JWT;v=1", "text/jwt", "application/", "application/application/jwt", "at", "+jwt", "j\u0175t"],
    ...[null, 1, true, ["JWT"], { JWT: 1 }],
  ])("%j is malformed, without asking the provider", async (typ) => {
    const { checkToken, server } = await startProvider(KEY);
    expect(await checkToken(signToken(KEY, validClaims(), { alg: "ES256", kid: "k1", typ }))).toBe("jwt_malformed");
    expect(server.requests).toBe(0);
  });
});

describe("the typ JOSE", () => {
  const SPIFFE_ID = "spiffe://example.org/ns/shop/sa/deployer";

  test.each(["JOSE", "jose", "application/jose"])("%j is that of a JWT-SVID, by its sub", async (typ) => {
    expect(await verdictOf({ typ }, { sub: SPIFFE_ID })).toEqual(validClaims({ sub: SPIFFE_ID }));
  });

  // threat: Q14
  test("is malformed of any other token, each time that it comes", async () => {
    const { checkToken } = await startProvider(KEY);
    for (const sub of ["user_1", `x${SPIFFE_ID}`, "SPIFFE://example.org/x", [SPIFFE_ID], undefined])
      for (let n = 0; n < 2; n++)
        expect(await checkToken(signToken(KEY, validClaims({ sub }), { alg: "ES256", kid: "k1", typ: "JOSE" }))).toBe(
          "jwt_malformed",
        );
  });
});

describe("events", () => {
  test.each([{ [LOGOUT]: {} }, { [LOGOUT]: null }, { other: {}, [LOGOUT]: {} }])(
    "%j makes a logout token, whatever its typ",
    async (events) => {
      for (const typ of ["JWT", undefined]) expect(await verdictOf({ typ }, { events })).toBe("jwt_malformed");
    },
  );

  test.each([{}, { "https://app.example/signed-in": {} }, null, "x", [LOGOUT]])(
    "%j is a claim like any other",
    async (events) => {
      expect(await verdictOf({}, { events })).toEqual(validClaims({ events }));
    },
  );

  test("is malformed each time that the token comes, also where a user's token of the same key is remembered", async () => {
    const { checkToken } = await startProvider(KEY);
    const logout = signToken(KEY, validClaims({ events: { [LOGOUT]: {} } }));
    for (let n = 0; n < 3; n++) {
      expect(await checkToken(logout)).toBe("jwt_malformed");
      expect(await checkToken(signToken(KEY))).toEqual(validClaims());
    }
  });

  test("is read after the signature", async () => {
    const { checkToken } = await startProvider(KEY);
    const forged = signToken(generateKey("ES256"), validClaims({ events: { [LOGOUT]: {} } }));
    expect(await checkToken(forged)).toBe("jwt_invalid_signature");
  });
});
