import { createServer } from "node:http";
import type { JWK } from "jose";
import { boundTo } from "../transport/http/server.ts";
import { ALG, createTokenSigner, KEY_ID, type SignToken } from "./token-signer.ts";

export { generateSigningKey } from "./token-signer.ts";

/** An identity provider as far as Latchkey sees it: a key set on loopback, and tokens on demand. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly audience: string;
  readonly sign: SignToken;
  close(): Promise<void>;
}

export const DEV_AUDIENCE = "latchkey-dev";
/** An MCP server of yours, as that of `examples/mcp`, and what its tools may need. */
export const DEV_RESOURCE = {
  url: "http://127.0.0.1:9000/mcp",
  scopes: ["conversations:read", "conversations:write", "plans:read", "plans:write"],
} as const;

/** Serves the public half of a signing key on a free loopback port. It has no sign-in: for tests. */
export async function startIdentityProvider(
  signingKey: JWK,
  issuer = "https://idp.latchkey.test",
): Promise<IdentityProvider> {
  const { d: _secret, ...publicKey } = signingKey;
  const keySet = JSON.stringify({ keys: [{ ...publicKey, kid: KEY_ID, alg: ALG, use: "sig" }] });
  const server = createServer((_req, res) => {
    res.writeHead(200, { "Content-Type": "application/json" }).end(keySet);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  return {
    issuer,
    jwksUrl: `http://127.0.0.1:${boundTo(server).port}/jwks.json`,
    audience: DEV_AUDIENCE,
    sign: await createTokenSigner(signingKey, issuer, DEV_AUDIENCE),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
