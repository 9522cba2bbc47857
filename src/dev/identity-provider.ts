import { createServer } from "node:http";
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import { boundTo } from "../transport/http/server.ts";

/** Claims of a token to sign; `iss`, `aud`, `iat` and `exp` are added where they are missing. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** An identity provider for development and tests: a key set on loopback, and tokens on demand. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly audience: string;
  /** Signs a token that is valid for an hour from `now` on. */
  sign(claims: TokenClaims, now?: Date): Promise<string>;
  close(): Promise<void>;
}

const DEV_AUDIENCE = "latchkey-dev";
const ALG = "ES256";
const KEY_ID = "dev";
const TOKEN_LIFE_S = 3_600;

/** Generates a private key as JWK. Store it if tokens should stay valid after a restart. */
export async function generateSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(ALG, { extractable: true });
  return exportJWK(privateKey);
}

/** Serves the public half of a signing key on a loopback port, by default on any free one. */
export async function startIdentityProvider(
  signingKey: JWK,
  issuer = "https://idp.latchkey.test",
  wantedPort = 0,
): Promise<IdentityProvider> {
  const { d: _secret, ...publicKey } = signingKey;
  const keySet = JSON.stringify({ keys: [{ ...publicKey, kid: KEY_ID, alg: ALG, use: "sig" }] });
  const privateKey = await importJWK(signingKey, ALG);
  const server = createServer((_req, res) => {
    res.writeHead(200, { "Content-Type": "application/json" }).end(keySet);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(wantedPort, "127.0.0.1", resolve);
  });
  const { port } = boundTo(server);
  return {
    issuer,
    jwksUrl: `http://127.0.0.1:${port}/jwks.json`,
    audience: DEV_AUDIENCE,
    sign(claims, now = new Date()) {
      const iat = Math.floor(now.getTime() / 1_000);
      return new SignJWT({ iss: issuer, aud: DEV_AUDIENCE, iat, exp: iat + TOKEN_LIFE_S, ...claims })
        .setProtectedHeader({ alg: ALG, kid: KEY_ID, typ: "JWT" })
        .sign(privateKey);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
