import { constants, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import fc from "fast-check";
import { compactVerify, importJWK } from "jose";
import { describe, expect, test } from "vitest";
import {
  ALGORITHMS,
  generateKey,
  rsaKey,
  type SigningKey,
  signToken,
  validClaims,
} from "../../../test/jwks/provider.ts";
import { acceptedAlgorithm } from "./algorithms.ts";
import { importPublicKey } from "./public-key.ts";

function keyOf({ alg, jwk }: SigningKey) {
  const algorithm = acceptedAlgorithm(alg);
  return algorithm === undefined ? undefined : importPublicKey(jwk, algorithm);
}

async function ourVerdict(key: SigningKey, input: Uint8Array, signature: Uint8Array): Promise<boolean> {
  return (await keyOf(key)?.verifies(input, signature)) ?? false;
}

/** What the library says about the same header, payload and signature. */
async function joseVerdict({ alg, jwk }: SigningKey, input: string, signature: Uint8Array): Promise<boolean> {
  const key = await importJWK(jwk, alg);
  const token = `${input}.${Buffer.from(signature).toString("base64url")}`;
  return compactVerify(token, key, { algorithms: [alg] }).then(
    () => true,
    () => false,
  );
}

function parts(token: string): { input: string; signature: Buffer } {
  const at = token.lastIndexOf(".");
  return { input: token.slice(0, at), signature: Buffer.from(token.slice(at + 1), "base64url") };
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

describe.each(ALGORITHMS)("%s", (alg) => {
  const key = generateKey(alg);
  const stranger = generateKey(alg);

  test("the verdict is jose's, on what was signed and on what was changed afterwards", async () => {
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
        const verdict = await ourVerdict(key, Buffer.from(presented), changed);
        expect(verdict).toBe(await joseVerdict(key, presented, changed));
        seen.add(verdict);
      },
    );
    await fc.assert(law, { numRuns: 60, examples: [["", key, (bytes) => bytes, false]] });
    expect(seen).toEqual(new Set([true, false]));
  });
});

describe("RSA", () => {
  const { privateKey, jwk } = rsaKey(2_048);
  const pss = (data: Buffer, saltLength: number) =>
    sign("sha256", data, { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });
  const signer = (alg: string): SigningKey => ({ alg, privateKey, jwk });

  test.each([0, 20, 31, 33, 64, 222])("a PS256 signature with a salt of %i bytes is refused", async (saltLength) => {
    const data = Buffer.from("input");
    expect(await ourVerdict(signer("PS256"), data, pss(data, saltLength))).toBe(false);
    expect(await ourVerdict(signer("PS256"), data, pss(data, 32))).toBe(true);
  });

  test("a PSS signature without its leading zero is refused, which OpenSSL takes", async () => {
    const data = Buffer.from("input");
    let signature = pss(data, 32);
    // The salt is random, so one in 256 begins with a zero.
    while (signature[0] !== 0) signature = pss(data, 32);
    const told = { key: createPublicKey(privateKey), padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    expect(verify("sha256", data, told, signature.subarray(1))).toBe(true);
    expect(await ourVerdict(signer("PS256"), data, signature.subarray(1))).toBe(false);
    expect(await ourVerdict(signer("PS256"), data, signature)).toBe(true);
  });

  test("the signatures of one RSA algorithm are none of another", async () => {
    const data = Buffer.from("input");
    expect(await ourVerdict(signer("RS256"), data, pss(data, 32))).toBe(false);
    expect(await ourVerdict(signer("PS256"), data, sign("sha256", data, privateKey))).toBe(false);
    expect(await ourVerdict(signer("RS512"), data, sign("sha256", data, privateKey))).toBe(false);
  });
});

describe("Ed25519", () => {
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
    const algorithm = acceptedAlgorithm("EdDSA") ?? expect.unreachable();
    const jwk = { kty: "OKP", crv: "Ed25519", x: Buffer.from(hex, "hex").toString("base64url") };
    const key = importPublicKey(jwk, algorithm);
    // With s = 0 the equation holds for one of these points as R, whatever was signed.
    const forged = SMALL.map((point) => Buffer.concat([Buffer.from(point, "hex"), Buffer.alloc(32)]));
    for (let n = 0; n < 32; n++) {
      for (const signature of forged) expect(await key?.verifies(Buffer.from(`input ${n}`), signature)).not.toBe(true);
    }
  });
});

describe("what takes long", () => {
  const large = generateKeyPairSync("rsa", { modulusLength: 4_608 });
  const slow: SigningKey[] = [
    { alg: "RS256", privateKey: large.privateKey, jwk: { ...large.publicKey.export({ format: "jwk" }) } },
    generateKey("ES384"),
    generateKey("ES512"),
  ];

  test.each(slow)("is checked outside this thread: $alg", async (key) => {
    const { input, signature } = parts(signToken(key));
    const verdict = keyOf(key)?.verifies(Buffer.from(input), signature);
    expect(verdict).toBeInstanceOf(Promise);
    expect(await verdict).toBe(true);
    signature[0] = (signature[0] ?? 0) ^ 1;
    expect(await ourVerdict(key, Buffer.from(input), signature)).toBe(false);
  });

  test.each(["ES256", "RS256", "PS256", "EdDSA"])("is not %s", (alg) => {
    const key = generateKey(alg);
    const { input, signature } = parts(signToken(key));
    expect(keyOf(key)?.verifies(Buffer.from(input), signature)).toBe(true);
  });
});
