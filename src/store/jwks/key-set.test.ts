// promise: tokens.weak-keys, key-sets.bounds
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import {
  generateKey,
  rsaKey,
  type SigningKey,
  signToken,
  startProvider,
  validClaims,
} from "../../../test/jwks/provider.ts";
import { type KeySet, parseKeySet } from "./key-set.ts";
import { createVerifiedTokenCaches } from "./verified-tokens.ts";

const KEY = generateKey("ES256");
const RSA = generateKey("RS256");

function withMembers(key: SigningKey, members: Record<string, unknown>): SigningKey {
  return { ...key, jwk: { ...key.jwk, ...members } };
}

/** Verifies a token that the key signed, with a set of this key only. */
async function checkTokenWith(key: SigningKey, header = { alg: key.alg, kid: key.jwk.kid }) {
  const { checkToken } = await startProvider(key);
  return checkToken(signToken(key, validClaims(), header));
}

describe("unusable keys", () => {
  const point = Buffer.from(String(KEY.jwk.y), "base64url");
  point[31] = (point[31] ?? 0) ^ 1;

  // threat: J4
  test.each([
    ["RSA of 1,024 bits", () => rsaKey(1_024)],
    ["RSA of 2,047 bits", () => rsaKey(2_047)],
    [
      "RSA with a modulus of 16,384 bits",
      () => withMembers(RSA, { n: Buffer.alloc(2_048, 255).toString("base64url") }),
    ],
    ["RSA with an even exponent", () => withMembers(RSA, { e: "AQAC" })],
    ["RSA with a modulus that is no text", () => withMembers(RSA, { n: 5 })],
    ["a point off its curve", () => withMembers(KEY, { y: point.toString("base64url") })],
    ["a point too short", () => withMembers(KEY, { x: "AQ" })],
    ["another curve", () => withMembers(KEY, { crv: "P-384" })],
    ["another type", () => withMembers(KEY, { kty: "RSA" })],
    ["no type", () => withMembers(KEY, { kty: undefined })],
    ["an inherited type", () => ({ ...KEY, jwk: { kid: "k1", ["__proto__"]: KEY.jwk } })],
    ["use enc", () => withMembers(KEY, { use: "enc" })],
    ["key_ops without verify", () => withMembers(KEY, { key_ops: ["encrypt"] })],
    ["key_ops that is no list", () => withMembers(KEY, { key_ops: "verify" })],
    ["another alg", () => withMembers(KEY, { alg: "ES384" })],
    ["alg of encryption", () => withMembers(RSA, { alg: "RSA-OAEP" })],
    ["a published private part", () => withMembers(KEY, KEY.privateKey.export({ format: "jwk" }) as SigningKey["jwk"])],
  ])("%s: the signature counts as invalid", async (_name, makeKey) => {
    const key = makeKey();
    expect(await checkTokenWith(key)).toBe("jwt_invalid_signature");
    expect(await checkTokenWith(key, { alg: key.alg, kid: undefined })).toBe("jwt_invalid_signature");
  });

  test("with the exponent 1 anyone could compute signatures", async () => {
    const { checkToken, server } = await startProvider(RSA);
    server.publish({ ...RSA.jwk, e: "AQ" }, { ...RSA.jwk, e: "AAAB", kid: "padded" });
    const [header, payload] = signToken(RSA).split(".");
    // With e = 1 the signature is the padded hash itself: PKCS #1 v1.5 around SHA-256.
    const { createHash } = await import("node:crypto");
    const hash = createHash("sha256").update(`${header}.${payload}`).digest();
    const info = Buffer.concat([Buffer.from("3031300d060960864801650304020105000420", "hex"), hash]);
    const padded = Buffer.concat([
      Buffer.from([0, 1]),
      Buffer.alloc(256 - 3 - info.length, 255),
      Buffer.from([0]),
      info,
    ]);
    expect(await checkToken(`${header}.${payload}.${padded.toString("base64url")}`)).toBe("jwt_invalid_signature");
    expect(await checkToken(signToken(RSA, validClaims(), { alg: "RS256", kid: "padded" }))).toBe(
      "jwt_invalid_signature",
    );
  });

  // threat: J3
  test("a published secret is not a key", async () => {
    const { createHmac } = await import("node:crypto");
    const { checkToken, server } = await startProvider();
    server.publish({ kty: "oct", k: Buffer.from("secret").toString("base64url"), kid: "k1", alg: "HS256" });
    for (const alg of ["HS256", "ES256"]) {
      const [header, payload] = signToken(KEY, validClaims(), { alg, kid: "k1" }).split(".");
      const mac = createHmac("sha256", "secret").update(`${header}.${payload}`).digest("base64url");
      expect(await checkToken(`${header}.${payload}.${mac}`)).toBe("jwt_invalid_signature");
    }
  });
});

describe("usable keys", () => {
  test.each([
    ["use sig", { use: "sig" }],
    ["use jwt-svid, as in a SPIFFE bundle,", { use: "jwt-svid" }],
    ["its own alg", { alg: "ES256" }],
    ["key_ops with verify", { key_ops: ["verify", "sign"] }],
    ["repeated key_ops", { key_ops: ["verify", "verify"] }],
    ["odd members", { ext: "x", x5c: ["!"], x5u: "http://127.0.0.1/", nbf: 1, alg: undefined }],
  ])("a key with %s serves", async (_name, members) => {
    expect(await checkTokenWith(withMembers(KEY, members))).toEqual(validClaims());
  });

  test.each([
    ["EdDSA", "Ed25519"],
    ["Ed25519", "EdDSA"],
  ])("a key published for %s verifies %s, which is another name for it", async (published, alg) => {
    const key = { ...generateKey("EdDSA", { kid: "k1", alg: published }), alg };
    expect(await checkTokenWith(key)).toEqual(validClaims());
  });

  test("RSA with the exponent 3 serves", async () => {
    expect(await checkTokenWith(rsaKey(2_048, 3))).toEqual(validClaims());
  });

  test("one RSA key serves every RSA algorithm, also mixed", async () => {
    const { checkToken } = await startProvider(RSA);
    for (const alg of ["RS256", "PS256", "RS512", "PS384", "RS256"]) {
      expect(await checkToken(signToken({ ...RSA, alg }))).toEqual(validClaims());
    }
  });

  // threat: F10
  test("unusable keys are skipped, for any reason", async () => {
    const { checkToken, server } = await startProvider();
    const bad = [null, 1, "key", [], {}, { kid: "k1" }, { kty: "EC", kid: "k1", crv: "P-256", x: 1, y: {} }];
    server.publish(...bad, { ...rsaKey(1_024).jwk }, { ...KEY.jwk, y: "AAAA" }, KEY.jwk);
    expect(await checkToken(signToken(KEY))).toEqual(validClaims());
    expect(await checkToken(signToken(KEY, validClaims(), { alg: "ES256" }))).toEqual(validClaims());
  });

  test("every key that 512 KiB can hold is found by its id", async () => {
    const { checkToken, server } = await startProvider();
    const others = Array.from({ length: 3_000 }, (_, n) => ({ ...KEY.jwk, kid: `other-${n}` }));
    server.publish(...others, { ...KEY.jwk, kid: "last" });
    expect(await checkToken(signToken(KEY, validClaims(), { alg: "ES256", kid: "last" }))).toEqual(validClaims());
  });

  test("8 keys of one id are tried", async () => {
    const { checkToken, server } = await startProvider();
    const others = (count: number) =>
      Array.from({ length: count }, () => ({ ...generateKey("ES256").jwk, kid: KEY.jwk.kid }));
    server.publish(...others(7), KEY.jwk);
    expect(await checkToken(signToken(KEY))).toEqual(validClaims());
    const tooMany = await startProvider();
    tooMany.server.publish(...others(8), KEY.jwk);
    expect(await tooMany.checkToken(signToken(KEY))).toBe("jwt_invalid_signature");
  });
});

describe("the memory of a set", () => {
  const CHARS_MAX = 524_288;
  const PARTS_MAX = 60_000;

  /** As many of these members as a document may hold. */
  function filled(member: (n: number) => unknown): string {
    const keys: string[] = [];
    for (let chars = 20, parts = 10, n = 0; ; n++) {
      const text = JSON.stringify(member(n));
      chars += text.length + 1;
      parts += (text.match(/[{[:,]/g)?.length ?? 0) + 1;
      if (chars > CHARS_MAX || parts > PARTS_MAX) return `{"keys":[${keys.join(",")}]}`;
      keys.push(text);
    }
  }

  const DOCUMENTS: readonly [string, string][] = [
    ["one key with a member of empty lists", `{"keys":[{"kty":"RSA","kid":"a","j":[${"[],".repeat(29_990)}[]]}]}`],
    ["foreign members beside the keys", `{"j":[${"{},".repeat(29_990)}{}],"keys":[]}`],
    ["usable keys", filled((n) => ({ ...KEY.jwk, kid: `${n}` }))],
    ["keys of one id", filled(() => KEY.jwk)],
    ["keys without id", filled(() => ({ ...KEY.jwk, kid: undefined }))],
    ["the shortest keys that look usable", filled(() => ({ kty: "OKP", crv: "Ed25519", x: "" }))],
    ["ids alone", filled((n) => ({ kid: `${n}` }))],
    ["one id that is a long text of two-byte characters", filled(() => ({ kid: `\u0100${"x".repeat(500_000)}` }))],
    ["nothing", filled(() => ({}))],
  ];

  // threat: F9
  test.each(DOCUMENTS)("is no more than it says, for %s, and at most 10 MB", (_name, text) => {
    const open = createVerifiedTokenCaches();
    const sets: KeySet[] = [];
    const add = (count: number) => {
      for (let n = 0; n < count; n++) sets.push(parseKeySet(text, open()));
    };
    // What the engine keeps of the code itself, which it compiles again as it learns, is no set's.
    add(4);
    const before = heapBytes();
    add(8);
    const each = (heapBytes() - before - NOISE_BYTES) / 8;
    const said = sets[0]?.bytes ?? 0;
    expect(each).toBeLessThan(said);
    expect(said).toBeLessThan(10_000_000);
    expect(sets).toHaveLength(12);
  });

  test("is little for a set with a large document around it", () => {
    const [, junk] = DOCUMENTS[0] ?? [];
    expect(parseKeySet(junk ?? "", createVerifiedTokenCaches()()).bytes).toBeLessThan(5_000);
  });

  test("is counted: the sets of one tenant stay within its share of 16 MB and evict no set of another", async () => {
    const { checkToken, server } = await startProvider(KEY);
    const use = (tenantId: string, index: number) =>
      checkToken(signToken(KEY), {
        jwksUrl: `${server.url}?${tenantId}-${index}`,
        jwksOwner: { kind: "tenant", tenantId },
      });
    expect(await use("other", 0)).toEqual(validClaims());
    const text = filled((n) => ({ ...KEY.jwk, kid: n === 0 ? KEY.jwk.kid : `${n}` }));
    const share = Math.floor(16_000_000 / parseKeySet(text, createVerifiedTokenCaches()()).bytes);
    expect(share).toBeGreaterThan(1);
    server.respond = (_req, res) => res.end(text);
    for (let index = 0; index < 30; index++) expect(await use("greedy", index)).toEqual(validClaims());
    expect(server.requests).toBe(31);
    await use("other", 0);
    await use("greedy", 29);
    expect(server.requests).toBe(31);
    await use("greedy", 29 - share);
    expect(server.requests).toBe(32);
  }, 60_000);
});

/** What comes and goes on the heap beside the sets. */
const NOISE_BYTES = 4_096;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
