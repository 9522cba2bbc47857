import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { OidcConfig } from "../src/domain/credentials/key.ts";

/** The identity provider of the end users: its key set on loopback, and ES256 tokens in any number. */
export interface Users {
  /** What a publishable key says about its users' tokens. */
  readonly oidc: OidcConfig;
  /** `host:port` from which the service must be allowed to fetch. */
  readonly host: string;
  /** So many tokens, no two alike. */
  tokens(count: number): string[];
  close(): Promise<void>;
}

const KEY_ID = "users";
const TOKEN_LIFE_S = 3_600;

export async function startUsers(): Promise<Users> {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: KEY_ID, alg: "ES256", use: "sig" };
  const keySet = JSON.stringify({ keys: [jwk] });
  const server = createServer((_req, res) => {
    res.writeHead(200, { "Content-Type": "application/json" }).end(keySet);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  // Listening on TCP, so the address is no string.
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const oidc = {
    issuer: "https://users.latchkey.test",
    jwksUrl: `http://${host}/jwks.json`,
    audience: "bench",
    userIdClaim: "sub",
    requiredClaims: {},
  };
  return {
    oidc,
    host,
    tokens: (count) => Array.from({ length: count }, () => signToken(oidc, privateKey)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Signed with the platform's own cryptography: jose would take twice as long, and tens of thousands are needed. */
function signToken({ issuer, audience }: OidcConfig, key: KeyObject): string {
  const iat = Math.floor(Date.now() / 1_000);
  const claims = { iss: issuer, aud: audience, sub: "user_bench", jti: randomUUID(), iat, exp: iat + TOKEN_LIFE_S };
  const input = `${encode({ alg: "ES256", kid: KEY_ID, typ: "JWT" })}.${encode(claims)}`;
  const signature = sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" });
  return `${input}.${signature.toString("base64url")}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
