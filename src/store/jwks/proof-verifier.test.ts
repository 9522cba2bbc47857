// promise: dpop.bound, dpop.replay
import { generateKeyPairSync } from "node:crypto";
import { calculateJwkThumbprint } from "jose/jwk/thumbprint";
import { describe, expect, test } from "vitest";
import { createMemoryUsedOnce } from "../../../test/harness/memory-used-once.ts";
import { newSender, type ProofParts } from "../../../test/harness/proofs.ts";
import { generateKey, signToken } from "../../../test/jwks/provider.ts";
import {
  type CheckedProof,
  createProofCheck,
  PROOF_ALGORITHMS,
  type ProofOf,
} from "../../domain/access-tokens/proof.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";
import { proofVerifier } from "./proof-verifier.ts";

const TOKEN = "header.payload.signature";
const URL_OF_REQUEST = "https://latchkey.example/api/v1/auth/verify";
const checkProof = createProofCheck({
  issuer: "https://latchkey.example",
  verifier: proofVerifier,
  usedOnce: createMemoryUsedOnce(),
});

function asked(jkt: string, changes: Partial<ProofOf> = {}): ProofOf {
  const target = { method: "POST", url: "/api/v1/auth/verify?connect=v1" };
  return { target, now: new Date(), token: { text: TOKEN, jkt }, ...changes };
}

async function refusalOf(checked: Promise<unknown>): Promise<{ message: string; dpopError: string | undefined }> {
  const err: unknown = await checked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(err instanceof Denial)) throw new Error("the proof was not refused", { cause: err });
  expect(err.reason).toBe("jwt_malformed");
  return err;
}

/** RFC 9449, 7.1 and 6.1. */
const RFC_PROOF =
  "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA";
const RFC_JKT = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I";
const RFC_TOKEN = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU";

/** The key of a proof that is accepted and used up. */
async function used(checked: Promise<CheckedProof>): Promise<string> {
  const { jkt, use } = await checked;
  await use();
  return jkt;
}

describe("a proof is accepted", () => {
  test("that RFC 9449 has as an example, at its time, once", async () => {
    const of = {
      target: { method: "GET", url: "https://resource.example.org/protectedresource" },
      now: new Date(1_562_262_618_000),
      token: { text: RFC_TOKEN, jkt: RFC_JKT },
    };
    expect(await used(checkProof([RFC_PROOF], of))).toBe(RFC_JKT);
    expect((await refusalOf(checkProof([RFC_PROOF], of))).message).toContain("used before");
  });

  test.each(PROOF_ALGORITHMS)("signed with %s", async (alg) => {
    const sender = await newSender(alg);
    const proof = await sender.prove("POST", URL_OF_REQUEST, TOKEN);
    expect(await used(checkProof([proof], asked(sender.jkt)))).toBe(sender.jkt);
  });

  test.each([-60, 60])("that was made %i s from now", async (ageS) => {
    const sender = await newSender();
    const now = new Date(1_800_000_000_000);
    const proof = await sender.prove("POST", URL_OF_REQUEST, TOKEN, { claims: { iat: 1_800_000_000 + ageS } });
    expect(await used(checkProof([proof], asked(sender.jkt, { now })))).toBe(sender.jkt);
  });

  test("without ath where there is no token yet, whose thumbprint is that of its key", async () => {
    const sender = await newSender();
    const proof = await sender.prove("POST", URL_OF_REQUEST, undefined);
    expect(await used(checkProof([proof], asked("", { token: undefined })))).toBe(sender.jkt);
  });

  test("whose jti another key has used", async () => {
    const claims = { jti: "1" };
    for (const sender of [await newSender(), await newSender()]) {
      const proof = await sender.prove("POST", URL_OF_REQUEST, TOKEN, { claims });
      expect(await used(checkProof([proof], asked(sender.jkt)))).toBe(sender.jkt);
    }
  });
});

const LATER_S = Math.floor(Date.now() / 1_000) + 3_600;
const EC = { kty: "EC", crv: "P-256", x: "AA", y: "AA" };
const symmetric = { kty: "oct", k: "c2VjcmV0" };

describe("a proof is refused", () => {
  test.each<readonly [string, ProofParts, string]>([
    ["of another type", { header: { typ: "JWT" } }, "typ dpop+jwt"],
    ["without a type", { header: { typ: undefined } }, "typ dpop+jwt"],
    ["without a key", { header: { jwk: undefined } }, "public key as jwk"],
    ["with a symmetric key", { header: { jwk: symmetric } }, "private key"],
    ["with a key of another kind", { header: { jwk: { kty: "OKP", crv: "Ed25519", x: "AA", y: "AA" } } }, "of its alg"],
    ["with a key that lacks a member", { header: { jwk: { kty: "EC", crv: "P-256", x: "AA" } } }, "have y as a text"],
    ["with a key of other characters", { header: { jwk: { ...EC, x: "\u0430A" } } }, "x as a text in base64url"],
    ["with an empty key", { header: { jwk: { ...EC, x: "" } } }, "x as a text in base64url"],
    ["that demands an unknown extension", { header: { crit: ["exp"], exp: 1 } }, "not supported"],
    ["for another method", { claims: { htm: "GET" } }, "htm"],
    ["for the method in another case", { claims: { htm: "post" } }, "htm"],
    ["for another URL", { claims: { htu: `${URL_OF_REQUEST}/` } }, `must be the URL of the request, ${URL_OF_REQUEST}`],
    ["for another host", { claims: { htu: "https://other.example/api/v1/auth/verify" } }, "htu"],
    ["without a URL", { claims: { htu: undefined } }, "htu"],
    ["of an hour later", { claims: { iat: LATER_S } }, "within 60 s"],
    ["of another time", { claims: { iat: 1 } }, "within 60 s"],
    ["without a time", { claims: { iat: undefined } }, "within 60 s"],
    ["with a time as text", { claims: { iat: "1" } }, "within 60 s"],
    ["for another token", { claims: { ath: "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo" } }, "ath"],
    ["for no token", { claims: { ath: undefined } }, "ath"],
    ["without jti", { claims: { jti: undefined } }, "jti"],
    ["with an empty jti", { claims: { jti: "" } }, "jti"],
    ["with a long jti", { claims: { jti: "j".repeat(257) } }, "jti"],
  ])("%s", async (_what, parts, problem) => {
    const sender = await newSender();
    // jose refuses some of these: they are signed by hand.
    const key = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const jwk = key.publicKey.export({ format: "jwk" });
    const [, payload = ""] = (await sender.prove("POST", URL_OF_REQUEST, TOKEN, { claims: parts.claims ?? {} })).split(
      ".",
    );
    const header = { alg: "ES256", typ: "dpop+jwt", jwk, ...parts.header };
    const signer = { alg: "ES256", privateKey: key.privateKey, jwk };
    const proof = signToken(signer, Buffer.from(payload, "base64url"), header);
    const { message, dpopError } = await refusalOf(
      checkProof([proof], asked("", { token: { text: TOKEN, jkt: await calculateJwkThumbprint(jwk) } })),
    );
    expect(message).toContain(problem);
    expect(dpopError).toBe("invalid_dpop_proof");
  });

  test.each(["d", "p", "q", "dp", "dq", "qi", "oth", "k"])("whose key has the private member %s", async (member) => {
    const sender = await newSender();
    const proof = await sender.prove("POST", URL_OF_REQUEST, TOKEN, {
      header: { jwk: { ...sender.jwk, [member]: "AA" } },
    });
    expect((await refusalOf(checkProof([proof], asked(sender.jkt)))).message).toContain("private key");
  });

  test.each(["none", "HS256", "ES384", "RS512"])("of the algorithm %s", async (alg) => {
    const sender = await newSender();
    const proof = signToken(generateKey("ES256"), {}, { alg, typ: "dpop+jwt", jwk: sender.jwk });
    expect((await refusalOf(checkProof([proof], asked(sender.jkt)))).message).toContain("its alg must be");
  });

  test("of another key than the token's", async () => {
    const [sender, other] = [await newSender(), await newSender()];
    const proof = await other.prove("POST", URL_OF_REQUEST, TOKEN);
    const { dpopError, message } = await refusalOf(checkProof([proof], asked(sender.jkt)));
    expect({ dpopError, message }).toEqual({
      dpopError: "invalid_token",
      message: expect.stringContaining("another key"),
    });
  });

  test("that names the token's key, and was signed with another", async () => {
    const [sender, other] = [await newSender(), await newSender()];
    const proof = await other.prove("POST", URL_OF_REQUEST, TOKEN, { header: { jwk: sender.jwk } });
    expect((await refusalOf(checkProof([proof], asked(sender.jkt)))).message).toContain("does not verify");
  });

  test("once any character of it was changed", async () => {
    const sender = await newSender();
    const proof = await sender.prove("POST", URL_OF_REQUEST, TOKEN);
    for (let at = 0; at < proof.length; at += 7) {
      const changed = `${proof.slice(0, at)}${proof[at] === "A" ? "B" : "A"}${proof.slice(at + 1)}`;
      await refusalOf(checkProof([changed], asked(sender.jkt)));
    }
    expect(await used(checkProof([proof], asked(sender.jkt)))).toBe(sender.jkt);
  });

  test("61 s from now", async () => {
    const sender = await newSender();
    for (const iat of [1_800_000_061, 1_799_999_939]) {
      const proof = await sender.prove("POST", URL_OF_REQUEST, TOKEN, { claims: { iat } });
      await refusalOf(checkProof([proof], asked(sender.jkt, { now: new Date(1_800_000_000_000) })));
    }
  });

  test("that is absent, empty, repeated, joined with another, too long or no JWT", async () => {
    const sender = await newSender();
    const proof = await sender.prove("POST", URL_OF_REQUEST, TOKEN);
    const long = await sender.prove("POST", URL_OF_REQUEST, TOKEN, { claims: { more: "m".repeat(8_192) } });
    const headers = [[], [""], [proof, proof], [`${proof}, ${proof}`], [`${proof}=`], [long], ["proof"], ["e30.e30."]];
    for (const values of headers) {
      expect((await refusalOf(checkProof(values, asked(sender.jkt)))).dpopError).toBe("invalid_dpop_proof");
    }
    expect(await used(checkProof([proof], asked(sender.jkt)))).toBe(sender.jkt);
  });

  test("where a proxy does not say for which request it is", async () => {
    const sender = await newSender();
    const proof = await sender.prove("POST", URL_OF_REQUEST, TOKEN);
    const { message } = await refusalOf(checkProof([proof], asked(sender.jkt, { target: undefined })));
    expect(message).toContain("X-Forwarded-Method");
  });
});

test("a proof that is refused for something else is not used up", async () => {
  const sender = await newSender();
  const proof = await sender.prove("POST", URL_OF_REQUEST, TOKEN);
  await refusalOf(checkProof([proof], asked(sender.jkt, { target: { method: "GET", url: URL_OF_REQUEST } })));
  expect(await used(checkProof([proof], asked(sender.jkt)))).toBe(sender.jkt);
});

test("a proof is stored when it is used up, and not before", async () => {
  const [sender, usedOnce] = [await newSender(), createMemoryUsedOnce()];
  const stored: unknown[] = [];
  const use = async (hash: Uint8Array, until: Date) => {
    stored.push(until);
    return usedOnce.use(hash, until);
  };
  const replica = () =>
    createProofCheck({ issuer: "https://latchkey.example", verifier: proofVerifier, usedOnce: { ...usedOnce, use } });
  const [one, other, third] = [replica(), replica(), replica()];
  const proof = await sender.prove("POST", URL_OF_REQUEST, TOKEN);
  const checked = await one([proof], asked(sender.jkt));
  // Checked, and not used up: only this process refuses it.
  expect((await refusalOf(one([proof], asked(sender.jkt)))).message).toContain("used before");
  expect(stored).toEqual([]);
  const elsewhere = await other([proof], asked(sender.jkt));
  await elsewhere.use();
  expect(stored).toHaveLength(1);
  expect((await refusalOf(checked.use())).message).toContain("used before");
  expect((await refusalOf(third([proof], asked(sender.jkt)))).message).toContain("used before");
});

test("a private key in a proof stands in no message", async () => {
  const sender = await newSender();
  const proof = await sender.prove("POST", URL_OF_REQUEST, TOKEN, { header: { jwk: sender.privateJwk } });
  expect((await refusalOf(checkProof([proof], asked(sender.jkt)))).message).not.toContain(sender.privateJwk.d);
});
