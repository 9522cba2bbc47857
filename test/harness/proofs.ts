import { randomUUID } from "node:crypto";
import { calculateJwkThumbprint } from "jose/jwk/thumbprint";
import { SignJWT } from "jose/jwt/sign";
import { exportJWK } from "jose/key/export";
import { generateKeyPair } from "jose/key/generate/keypair";
import { accessTokenHash } from "../../src/domain/access-tokens/proof.ts";

/** What a proof says, where a test wants something else than a right one. Undefined members are left out. */
export interface ProofParts {
  readonly header?: Record<string, unknown>;
  readonly claims?: Record<string, unknown>;
}

/** A sender with a key of their own, who makes proofs with jose. */
export async function newSender(alg = "ES256") {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return {
    jwk,
    privateJwk: await exportJWK(privateKey),
    jkt: await calculateJwkThumbprint(jwk),
    /** A proof for a request with a token. */
    prove(method: string, url: string, token: string | undefined, { header, claims }: ProofParts = {}) {
      const iat = Math.floor(Date.now() / 1_000);
      const ath = token === undefined ? undefined : accessTokenHash(token);
      return new SignJWT({ jti: randomUUID(), htm: method, htu: url, iat, ath, ...claims })
        .setProtectedHeader({ alg, typ: "dpop+jwt", jwk, ...header })
        .sign(privateKey);
    },
  };
}
