// promise: tokens.weak-keys, tokens.first-fault
import { createHmac, createPublicKey } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ALGORITHMS,
  encodePart,
  generateKey,
  ISSUER,
  rsaKey,
  START_S,
  signToken,
  startCanary,
  startProvider,
  validClaims,
} from "../../../test/jwks/provider.ts";
import { DENIALS, Denial } from "../../domain/vocabulary/denial.ts";

const KEY = generateKey("ES256");
const RSA = generateKey("RS256");

/** Verifies one token signed with KEY. */
async function checkClaims(payload: Record<string, unknown> | string | Uint8Array) {
  const { checkToken } = await startProvider(KEY);
  return checkToken(signToken(KEY, payload));
}

async function checkHeader(header: Record<string, unknown> | string | Uint8Array) {
  const { checkToken } = await startProvider(KEY);
  return checkToken(signToken(KEY, validClaims(), header));
}

describe("signature", () => {
  test.each(ALGORITHMS)("%s is accepted, and its claims are answered as signed", async (alg) => {
    const key = generateKey(alg);
    const { checkToken } = await startProvider(key);
    const claims = validClaims({ nested: { a: [1, "b"] } });
    expect(await checkToken(signToken(key, claims))).toEqual(claims);
  });

  test.each(ALGORITHMS)("%s with any one bit of the signature changed is refused", async (alg) => {
    const key = generateKey(alg);
    const { checkToken } = await startProvider(key);
    const [header, payload, signature = ""] = signToken(key).split(".");
    for (const index of [0, 31, 32, 63]) {
      const bytes = Buffer.from(signature, "base64url");
      bytes[index] = (bytes[index] ?? 0) ^ 1;
      const token = `${header}.${payload}.${bytes.toString("base64url")}`;
      expect(await checkToken(token)).toBe("jwt_invalid_signature");
    }
  });

  // threat: J23
  test("a signature has only one valid text", async () => {
    const { checkToken } = await startProvider(KEY);
    const token = signToken(KEY);
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const verdicts = await Promise.all([...alphabet].map((last) => checkToken(token.slice(0, -1) + last)));
    expect(verdicts.filter((verdict) => typeof verdict === "object")).toHaveLength(1);
    expect(new Set(verdicts.filter((verdict) => typeof verdict === "string"))).toEqual(
      new Set(["jwt_invalid_signature"]),
    );
  });

  test.each(["sub", "exp", "iss"])("a changed %s breaks the signature", async (claim) => {
    const { checkToken } = await startProvider(KEY);
    const [header, , signature] = signToken(KEY).split(".");
    const payload = encodePart(validClaims({ [claim]: claim === "exp" ? START_S + 9_999_999 : "mallory" }));
    expect(await checkToken(`${header}.${payload}.${signature}`)).toBe("jwt_invalid_signature");
  });

  test("another key under the same kid is refused", async () => {
    const { checkToken } = await startProvider(KEY);
    expect(await checkToken(signToken(generateKey("ES256")))).toBe("jwt_invalid_signature");
  });

  test.each([
    ["zeros", Buffer.alloc(64)],
    ["zero r", Buffer.concat([Buffer.alloc(32), Buffer.alloc(32, 1)])],
    ["too short", Buffer.alloc(63, 1)],
    ["too long", Buffer.alloc(65, 1)],
    ["DER", Buffer.from("3006020101020101", "hex")],
    ["empty", Buffer.alloc(0)],
  ])("an ES256 signature of %s is refused", async (_name, signature) => {
    const { checkToken } = await startProvider(KEY);
    const [header, payload] = signToken(KEY).split(".");
    expect(await checkToken(`${header}.${payload}.${signature.toString("base64url")}`)).toBe("jwt_invalid_signature");
  });
});

describe("algorithm", () => {
  // threat: J1
  test.each(["none", "None", "NONE", "nOnE", "HS256", "HS512", "ML-DSA-44", "RSA-OAEP", "", "es256", "__proto__"])(
    "alg %j is refused without asking the provider",
    async (alg) => {
      const { checkToken, server } = await startProvider(KEY);
      const token = signToken(KEY, validClaims(), { alg, kid: "k1" });
      expect(await checkToken(token)).toBe("jwt_invalid_signature");
      expect(await checkToken(token.replace(/[^.]*$/, ""))).toBe("jwt_invalid_signature");
      expect(server.requests).toBe(0);
    },
  );

  // threat: J2
  test.each([RSA, KEY])("a public key is not a secret for HS256", async (key) => {
    const { checkToken } = await startProvider(key);
    const publicKey = createPublicKey(key.privateKey);
    const pem = publicKey.export({ type: "spki", format: "pem" });
    const secrets = [
      pem,
      `${pem}`.trimEnd(),
      publicKey.export({ type: "spki", format: "der" }),
      JSON.stringify(key.jwk),
      Buffer.from(String(key.jwk.n ?? key.jwk.x), "base64url"),
    ];
    const input = `${encodePart({ alg: "HS256", kid: "k1" })}.${encodePart(validClaims())}`;
    for (const secret of secrets) {
      const mac = createHmac("sha256", secret).update(input).digest("base64url");
      expect(await checkToken(`${input}.${mac}`)).toBe("jwt_invalid_signature");
    }
  });

  // threat: J4
  test("a token cannot choose another algorithm than its key's family", async () => {
    const { checkToken } = await startProvider(RSA);
    expect(await checkToken(signToken({ ...KEY, alg: "ES256" }))).toBe("jwt_invalid_signature");
    const bound = { ...RSA, jwk: { ...RSA.jwk, alg: "PS256" } };
    const other = await startProvider(bound);
    expect(await other.checkToken(signToken(bound))).toBe("jwt_invalid_signature");
    expect(await other.checkToken(signToken({ ...bound, alg: "PS256" }))).toEqual(validClaims());
  });
});

describe("key id", () => {
  const odd = [
    "unknown",
    "",
    "../../dev/null",
    "' OR 1=1 --",
    "__proto__",
    "constructor",
    "x".repeat(10_240),
    "\u0000",
  ];

  // threat: J5
  test.each(odd)("a token with the kid %j of no key is refused", async (kid) => {
    expect(await checkHeader({ alg: "ES256", kid })).toBe("jwt_invalid_signature");
  });

  // threat: J5
  test.each([1, null, true, ["k1"], { k1: 1 }])("a kid that is %j is malformed", async (kid) => {
    expect(await checkHeader({ alg: "ES256", kid })).toBe("jwt_malformed");
  });

  test.each(odd.slice(2, 6))("a key that really is called %j is found", async (kid) => {
    const key = generateKey("ES256", { kid });
    const { checkToken } = await startProvider(generateKey("ES256"), key);
    expect(await checkToken(signToken(key))).toEqual(validClaims());
  });

  // threat: J5
  test("a token without kid is verified by any of 8 keys that fit", async () => {
    const keys = Array.from({ length: 9 }, (_, index) => generateKey("ES256", { kid: `k${index}` }));
    const { checkToken } = await startProvider(RSA, ...keys);
    const verdicts = await Promise.all(keys.map((key) => checkToken(signToken(key, validClaims(), { alg: "ES256" }))));
    expect(verdicts.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => validClaims()));
    expect(verdicts[8]).toBe("jwt_invalid_signature");
  });

  test("two keys with one kid are both tried", async () => {
    const [first, second] = [generateKey("ES256"), generateKey("ES256")];
    const { checkToken } = await startProvider(first, second);
    expect(await checkToken(signToken(first))).toEqual(validClaims());
    expect(await checkToken(signToken(second))).toEqual(validClaims());
  });

  // threat: J6
  test("jku, x5u, jwk and x5c of a token are neither fetched nor trusted", async () => {
    const canary = await startCanary();
    const attacker = generateKey("ES256");
    const { checkToken } = await startProvider(KEY);
    const url = `http://127.0.0.1:${canary.port}/`;
    const extra = { jku: url, x5u: url, jwk: attacker.jwk, x5c: ["MIIB"], kid: "k1", alg: "ES256" };
    expect(await checkToken(signToken(attacker, validClaims(), extra))).toBe("jwt_invalid_signature");
    expect(await checkToken(signToken(KEY, validClaims(), extra))).toEqual(validClaims());
    expect(canary.connections).toBe(0);
  });
});

describe("form", () => {
  const [header = "", payload = "", signature = ""] = signToken(KEY).split(".");
  const bom = Buffer.from([0xef, 0xbb, 0xbf]);

  // threat: J7, J22
  test.each([
    ["nothing", ""],
    ["dots", ".."],
    ["a word", "garbage"],
    ["an API key", "sk_abc"],
    ["two parts", `${header}.${payload}`],
    ["four parts", `${header}.${payload}.${signature}.`],
    ["five parts", `${header}..${payload}.${signature}.x`],
    ["padding", `${header}.${payload}.${signature}==`],
    ["base64", `${header}.${payload}.+/${signature}`],
    ["leading space", ` ${header}.${payload}.${signature}`],
    ["line break", `${header}.${payload}.${signature}\n`],
    ["inner space", `${header}.${payload} .${signature}`],
    ["JSON serialisation", JSON.stringify({ protected: header, payload, signature })],
    ["a header with a BOM", signToken(KEY, validClaims(), Buffer.concat([bom, Buffer.from('{"alg":"ES256"}')]))],
    ["a header in broken UTF-8", signToken(KEY, validClaims(), Buffer.from('{"alg":"ES256","x":"\xff"}', "latin1"))],
    ["a header that is an array", signToken(KEY, validClaims(), '["alg"]')],
    ["a header that is null", signToken(KEY, validClaims(), "null")],
    ["a header without alg", signToken(KEY, validClaims(), { kid: "k1" })],
    ["an alg that is a list", signToken(KEY, validClaims(), { alg: ["ES256"], kid: "k1" })],
    ["an inherited alg", signToken(KEY, validClaims(), '{"__proto__":{"alg":"ES256"},"kid":"k1"}')],
    ["crit unknown", signToken(KEY, validClaims(), { alg: "ES256", kid: "k1", crit: ["x"], x: 1 })],
    ["crit empty", signToken(KEY, validClaims(), { alg: "ES256", kid: "k1", crit: [] })],
    ["crit exp", signToken(KEY, validClaims(), { alg: "ES256", kid: "k1", crit: ["exp"], exp: 1 })],
    ["b64 false", signToken(KEY, validClaims(), { alg: "ES256", kid: "k1", crit: ["b64"], b64: false })],
    ["b64 false without crit", signToken(KEY, validClaims(), { alg: "ES256", kid: "k1", b64: false })],
    ["zip", signToken(KEY, validClaims(), { alg: "ES256", kid: "k1", zip: "DEF" })],
  ])("%s is malformed", async (_name, token) => {
    const { checkToken, server } = await startProvider(KEY);
    expect(await checkToken(token)).toBe("jwt_malformed");
    expect(server.requests).toBe(0);
  });

  // threat: J22
  test.each([
    ["text", "foo"],
    ["null", "null"],
    ["an array", "[1]"],
    ["a number", "123400"],
    ["nothing", ""],
    ["a BOM before the object", Buffer.concat([bom, Buffer.from(JSON.stringify(validClaims()))])],
    ["broken UTF-8", Buffer.from('{"sub":"\xff"}', "latin1")],
    ["UTF-16", Buffer.from(JSON.stringify(validClaims()), "utf16le")],
  ])("a payload of %s is malformed", async (_name, payload) => {
    expect(await checkClaims(payload)).toBe("jwt_malformed");
  });

  // threat: J19
  test("a token of 16 KiB is read, one character more is malformed", async () => {
    const { checkToken } = await startProvider(KEY);
    const spare = 16_384 - signToken(KEY, validClaims({ x: "" })).length;
    const longest = Array.from({ length: 8 }, (_, less) =>
      signToken(KEY, validClaims({ x: "x".repeat(Math.floor(spare * 0.75) + 4 - less) })),
    );
    const fits = longest.find((token) => token.length <= 16_384) ?? "";
    const tooLong = longest.findLast((token) => token.length > 16_384) ?? "";
    expect(16_384 - fits.length).toBeLessThan(2);
    expect(tooLong.length - 16_384).toBeLessThan(3);
    expect(await checkToken(fits)).toMatchObject({ iss: ISSUER });
    expect(await checkToken(tooLong)).toBe("jwt_malformed");
    expect(await checkToken("a".repeat(1_000_000))).toBe("jwt_malformed");
  });

  // threat: J7, J22
  test("any other text is denied, and never causes an internal error", async () => {
    const { checkToken } = await startProvider(KEY);
    const part = fc.oneof(fc.constantFrom(header, payload, signature), fc.string(), fc.json().map(encodePart));
    const denied = fc.asyncProperty(fc.array(part, { maxLength: 5 }), async (parts) => {
      fc.pre(parts.join() !== [header, payload, signature].join());
      expect(await checkToken(parts.join("."))).toMatch(/^jwt_/);
    });
    await fc.assert(denied, { numRuns: 500 });
  });
});

describe("order", () => {
  test("form, signature, issuer, audience, expiry, nbf: the first fault is answered", async () => {
    const { checkToken } = await startProvider(KEY);
    const claims: Record<string, unknown> = { iss: "x", aud: "x", exp: 1, nbf: START_S + 60 };
    const forged = signToken(generateKey("ES256"), claims);
    expect(await checkToken(`${forged}=`)).toBe("jwt_malformed");
    expect(await checkToken(forged)).toBe("jwt_invalid_signature");
    expect(await checkToken(signToken(KEY, claims))).toBe("jwt_invalid_issuer");
    claims.iss = ISSUER;
    expect(await checkToken(signToken(KEY, claims))).toBe("jwt_invalid_audience");
    claims.aud = "app";
    expect(await checkToken(signToken(KEY, claims))).toBe("jwt_expired");
    claims.exp = START_S + 60;
    expect(await checkToken(signToken(KEY, claims))).toBe("jwt_malformed");
  });

  // threat: H5
  test("no message shows the token, a host or a library", async () => {
    const { verifier, server } = await startProvider(KEY);
    const tokens = ["x.y.z", signToken(KEY, {}), signToken(rsaKey(1_024)), signToken(KEY, validClaims({ nbf: 9e9 }))];
    for (const token of tokens) {
      for (const jwksUrl of [server.url, "http://127.0.0.1:1/"]) {
        const expected = { issuer: ISSUER, audience: "app", jwksUrl, jwksOwner: { kind: "operator" } } as const;
        const err: unknown = await verifier.verify(token, expected).catch((err: unknown) => err);
        // But for the one sentence that names the jwksUrl of any provider.
        const message = err instanceof Denial && String(err).replace(DENIALS.verifier_error.sentence, "");
        expect(message).toMatch(/^Denial: (?!.*(jose|undici|JWS|JWK|127\.0|eyJ|example))/is);
      }
    }
  });
});
