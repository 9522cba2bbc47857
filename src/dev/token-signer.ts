import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";

/** Claims of a token to sign; `iss`, `aud`, `iat` and `exp` are added where they are missing. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** Signs a token that is valid for an hour from `now` on. */
export type SignToken = (claims: TokenClaims, now?: Date) => Promise<string>;

export const ALG = "ES256";
export const KEY_ID = "dev";
const TOKEN_LIFE_S = 3_600;

/** Generates a private key as JWK. Store it if tokens should stay valid after a restart. */
export async function generateSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(ALG, { extractable: true });
  return exportJWK(privateKey);
}

export async function createTokenSigner(signingKey: JWK, issuer: string, audience: string): Promise<SignToken> {
  const privateKey = await importJWK(signingKey, ALG);
  return (claims, now = new Date()) => {
    const iat = Math.floor(now.getTime() / 1_000);
    return new SignJWT({ iss: issuer, aud: audience, iat, exp: iat + TOKEN_LIFE_S, ...claims })
      .setProtectedHeader({ alg: ALG, kid: KEY_ID, typ: "JWT" })
      .sign(privateKey);
  };
}
