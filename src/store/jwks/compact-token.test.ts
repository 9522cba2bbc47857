import { sign } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodePart, generateKey, signToken, startProvider, validClaims } from "../../../test/jwks/provider.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";
import { parseCompactToken } from "./compact-token.ts";

const HEADER = encodePart({ alg: "ES256", kid: "k1" });

function reasonOf(text: string): string {
  try {
    parseCompactToken(text);
    return "read";
  } catch (err) {
    if (err instanceof Denial) return err.reason;
    throw err;
  }
}

describe("base64url", () => {
  // threat: J22
  test("of all texts of one signature exactly one is read, and none that has a character too many", () => {
    const alphabet = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"];
    const chars = fc.array(fc.constantFrom(...alphabet), { minLength: 1, maxLength: 12 });
    const law = fc.property(chars, (text) => {
      const beginning = text.slice(0, -1).join("");
      const bytes = Buffer.from(text.join(""), "base64url");
      const sameBytes = alphabet
        .map((last) => beginning + last)
        .filter((each) => Buffer.from(each, "base64url").equals(bytes));
      const reasons = sameBytes.map((each) => reasonOf(`${HEADER}.e30.${each}`));
      const refused = reasons.filter((reason) => reason !== "read");
      expect(sameBytes.length - refused.length).toBe(text.length % 4 === 1 ? 0 : 1);
      for (const reason of refused) expect(reason).toBe("jwt_invalid_signature");
    });
    fc.assert(law, { numRuns: 1_000 });
  });

  test("a signed payload that spells no bytes is malformed", async () => {
    const key = generateKey("ES256");
    const { checkToken } = await startProvider(key);
    const claims = encodePart(validClaims());
    const lone = `${claims.slice(0, claims.length - (claims.length % 4))}A`;
    // Signed as it is: what `signToken` is given is bytes, and these are none.
    const input = `${encodePart({ alg: "ES256", kid: "k1" })}.${lone}`;
    const signature = sign("sha256", Buffer.from(input), { key: key.privateKey, dsaEncoding: "ieee-p1363" });
    expect(await checkToken(`${input}.${signature.toString("base64url")}`)).toBe("jwt_malformed");
  });
});

test("a token that is too long is refused with what to do about it", () => {
  expect(() => parseCompactToken("x".repeat(16_385))).toThrow(/longer than 16384 characters; have its issuer .+\.$/);
});

describe("a header read before", () => {
  test("is read as it was, and a similar one on its own", async () => {
    const [key, other] = [generateKey("ES256", { kid: "a" }), generateKey("ES256", { kid: "b" })];
    const { checkToken } = await startProvider(key, other);
    for (let n = 0; n < 3; n++) {
      expect(await checkToken(signToken(key))).toEqual(validClaims());
      expect(await checkToken(signToken(other))).toEqual(validClaims());
      expect(await checkToken(signToken(key, validClaims(), { alg: "ES256", kid: "b" }))).toBe("jwt_invalid_signature");
      expect(await checkToken(signToken(key, validClaims(), { alg: "none", kid: "a" }))).toBe("jwt_invalid_signature");
    }
  });

  test("is refused each time that it is refused", () => {
    const zipped = encodePart({ alg: "ES256", zip: "DEF" });
    for (let n = 0; n < 3; n++) expect(reasonOf(`${zipped}.e30.AA`)).toBe("jwt_malformed");
    expect(reasonOf(`${HEADER}.e30.AA`)).toBe("read");
  });
});
