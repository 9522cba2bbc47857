import { constants, createPublicKey, sign, verify } from "node:crypto";
import fc from "fast-check";
import { importJWK } from "jose";
import { describe, expect, test } from "vitest";
import {
  ALGORITHMS,
  encodePart,
  generateKey,
  rsaKey,
  type SigningKey,
  signToken,
  validClaims,
} from "../../../test/jwks/provider.ts";
import { acceptedAlgorithm } from "./algorithms.ts";
import { importPublicKey } from "./public-key.ts";

/** What the product says of signatures of an input, which is a header and a payload with the dot between them. */
async function ourVerdicts({ alg, jwk }: SigningKey) {
  const key = await importPublicKey(jwk, alg, acceptedAlgorithm(alg) ?? expect.unreachable());
  return async (input: string, signature: Uint8Array): Promise<boolean> => {
    const text = `${input}.${Buffer.from(signature).toString("base64url")}`;
    return key.kind === "usable" && key.verifies({ text, signatureBytes: signature.length });
  };
}

async function ourVerdict(key: SigningKey, input: string, signature: Uint8Array): Promise<boolean> {
  return (await ourVerdicts(key))(input, signature);
}

/** What OpenSSL says of them, by the parameters of RFC 7518 and RFC 8037. */
function opensslVerdict({ alg, privateKey }: SigningKey, input: string, signature: Uint8Array): boolean {
  const key = createPublicKey(privateKey);
  const hash = alg.startsWith("Ed") ? null : `sha${alg.slice(2)}`;
  const padding = alg.startsWith("PS") ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING;
  const ofRsa = { padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  const options = /^[RP]S/.test(alg) ? ofRsa : { dsaEncoding: "ieee-p1363" as const };
  return verify(hash, Buffer.from(input), { key, ...options }, signature);
}

function parts(token: string): { input: string; signature: Buffer } {
  const at = token.lastIndexOf(".");
  return { input: token.slice(0, at), signature: Buffer.from(token.slice(at + 1), "base64url") };
}

function inputOf(alg: string): string {
  return `${encodePart({ alg })}.${encodePart(validClaims())}`;
}

/** What is done to a signature of so many bytes. */
const mutation = fc.oneof(
  fc.constant((bytes: Buffer) => bytes),
  fc.nat().map((bit) => (bytes: Buffer) => {
    const at = (bit >> 3) % bytes.length;
    return Buffer.from(bytes.with(at, (bytes[at] ?? 0) ^ (1 << (bit & 7))));
  }),
  fc.nat(20).map((count) => (bytes: Buffer) => bytes.subarray(0, -1 - count)),
  fc.uint8Array({ minLength: 1, maxLength: 20 }).map((more) => (bytes: Buffer) => Buffer.concat([bytes, more])),
  fc.uint8Array({ minLength: 1, maxLength: 4 }).map((more) => (bytes: Buffer) => Buffer.concat([more, bytes])),
  // Of ECDSA: r or s alone, or 0, or the order's largest multiple that fits; and the two exchanged.
  fc.constantFrom(0, 255).map((byte) => (bytes: Buffer) => Buffer.from(bytes).fill(byte, 0, bytes.length >> 1)),
  fc.constantFrom(0, 255).map((byte) => (bytes: Buffer) => Buffer.from(bytes).fill(byte, bytes.length >> 1)),
  fc.constant((bytes: Buffer) => {
    const half = bytes.length >> 1;
    return Buffer.concat([bytes.subarray(half), bytes.subarray(0, half)]);
  }),
  fc.constant(() => Buffer.alloc(0)),
);

/** Of the six RSA algorithms: a pair takes most of a tenth of a second to make. */
const [RSA_KEY, RSA_STRANGER] = [rsaKey(2_048), rsaKey(2_048)];

describe.each(ALGORITHMS)("%s", (alg) => {
  const isRsa = /^[RP]S/.test(alg);
  const key = isRsa ? { ...RSA_KEY, alg } : generateKey(alg);
  const stranger = isRsa ? { ...RSA_STRANGER, alg } : generateKey(alg);

  test("the verdict is that of OpenSSL, on what was signed and on what was changed afterwards", async () => {
    const seen = new Set<boolean>();
    const law = fc.asyncProperty(
      fc.string(),
      fc.constantFrom(key, key, key, stranger),
      mutation,
      fc.boolean(),
      async (sub, signer, mutate, isPayloadChanged) => {
        const { input, signature } = parts(signToken(signer, validClaims({ sub })));
        const presented = isPayloadChanged ? `${input}AA` : input;
        const changed = mutate(signature);
        const verdict = await ourVerdict(key, presented, changed);
        expect(verdict).toBe(opensslVerdict(key, presented, changed));
        seen.add(verdict);
      },
    );
    await fc.assert(law, { numRuns: 60, examples: [["", key, (bytes) => bytes, false]] });
    expect(seen).toEqual(new Set([true, false]));
  });
});

describe("RSA", () => {
  const { privateKey, jwk } = rsaKey(2_048);
  const pss = (input: string, saltLength: number) =>
    sign("sha256", Buffer.from(input), { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });
  const signer = (alg: string): SigningKey => ({ alg, privateKey, jwk });

  test.each([0, 20, 31, 33, 64, 222])("a PS256 signature with a salt of %i bytes is refused", async (saltLength) => {
    const input = inputOf("PS256");
    expect(await ourVerdict(signer("PS256"), input, pss(input, saltLength))).toBe(false);
    expect(await ourVerdict(signer("PS256"), input, pss(input, 32))).toBe(true);
  });

  test("a PSS signature without its leading zero is refused, which OpenSSL takes", async () => {
    const input = inputOf("PS256");
    let signature = pss(input, 32);
    // The salt is random, so one in 256 begins with a zero.
    while (signature[0] !== 0) signature = pss(input, 32);
    expect(opensslVerdict(signer("PS256"), input, signature.subarray(1))).toBe(true);
    expect(await ourVerdict(signer("PS256"), input, signature.subarray(1))).toBe(false);
    expect(await ourVerdict(signer("PS256"), input, signature)).toBe(true);
  });

  test("rejects the signatures of another RSA algorithm", async () => {
    const pkcs1 = (alg: string) => sign("sha256", Buffer.from(inputOf(alg)), privateKey);
    expect(await ourVerdict(signer("RS256"), inputOf("RS256"), pss(inputOf("RS256"), 32))).toBe(false);
    expect(await ourVerdict(signer("PS256"), inputOf("PS256"), pkcs1("PS256"))).toBe(false);
    expect(await ourVerdict(signer("RS512"), inputOf("RS512"), pkcs1("RS512"))).toBe(false);
    expect(await ourVerdict(signer("RS256"), inputOf("RS256"), pkcs1("RS256"))).toBe(true);
  });
});

describe("Ed25519", () => {
  const PAIR = generateKey("EdDSA");
  /** All points whose order divides 8, also in spellings beyond the field's prime: with such a key anyone could sign. */
  const SMALL = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0100000000000000000000000000000000000000000000000000000000000080",
  ];

  test.each(SMALL)("nothing is verified by the point %s, for which anyone can compute signatures", async (hex) => {
    const jwk = { kty: "OKP", crv: "Ed25519", x: Buffer.from(hex, "hex").toString("base64url") };
    const key = { ...PAIR, jwk };
    // With s = 0 the equation holds for one of these points as R, whatever was signed.
    const forged = SMALL.map((point) => Buffer.concat([Buffer.from(point, "hex"), Buffer.alloc(32)]));
    const verdict = await ourVerdicts(key);
    const verdicts = new Set<boolean>();
    for (let n = 0; n < 32; n++) {
      const input = `${encodePart({ alg: "EdDSA" })}.${encodePart({ n })}`;
      for (const signature of forged) verdicts.add(await verdict(input, signature));
    }
    expect(verdicts).toEqual(new Set([false]));
  });
});

describe("RSA keys that jose takes", () => {
  const rsa = rsaKey(2_048);

  test.each([
    ["the exponent 1", "exponent", { e: "AQ" }],
    ["the exponent 1 with leading zeros", "exponent", { e: "AAAB" }],
    ["no exponent", "exponent", { e: "" }],
    ["an even exponent", "exponent", { e: "AQAC" }],
    ["an exponent of 2^32 + 1", "exponent", { e: "AQAAAAE" }],
    ["2,047 bits", "fewer", rsaKey(2_047).jwk],
    ["no modulus", "fewer", { n: "" }],
    ["a modulus of 16,384 bits", "more", { n: Buffer.alloc(2_048, 255).toString("base64url") }],
  ])("are refused with %s", async (_name, problem, members) => {
    const jwk = { ...rsa.jwk, ...members };
    const algorithm = acceptedAlgorithm("RS256") ?? expect.unreachable();
    expect(await importJWK(jwk, "RS256")).toBeDefined();
    expect(await importPublicKey(jwk, "RS256", algorithm)).toMatchObject({
      kind: "unusable",
      problem: expect.stringContaining(problem),
    });
    expect(await importPublicKey(rsa.jwk, "RS256", algorithm)).toMatchObject({ kind: "usable" });
  });
});
