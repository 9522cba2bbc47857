import { createPublicKey, type JsonWebKey, verify } from "node:crypto";
import { importJWK, jwtVerify } from "jose";
import { BODY, HEADERS } from "./answer.ts";
import { serve } from "./serve.ts";

/**
 * The upper bound for any service that checks the signature of each user's token itself: one ES256 check a request, with a
 * key in memory, and a constant answer. `CHECK` names the library: `jose` or `crypto`. Neither caches tokens nor checks
 * issuer and audience.
 */

const document = await (await fetch(process.env.JWKS_URL ?? "")).json();
const [jwk] = (document as { keys: [JsonWebKey] }).keys;
const check = process.env.CHECK === "jose" ? await byJose(jwk) : byCrypto(jwk);

serve(async (req, res) => {
  if (await check((req.headers.authorization ?? "").slice("Bearer ".length))) {
    res.writeHead(200, HEADERS).end(BODY);
  } else {
    res.writeHead(401).end();
  }
});

async function byJose(jwk: JsonWebKey): Promise<(token: string) => Promise<boolean>> {
  const key = await importJWK(jwk, "ES256");
  return (token) =>
    jwtVerify(token, key).then(
      () => true,
      () => false,
    );
}

function byCrypto(jwk: JsonWebKey): (token: string) => boolean {
  // As an option beside the key it would cost a tenth more; see src/store/jwks/public-key.ts.
  const key = Object.assign(createPublicKey({ key: jwk, format: "jwk" }), { dsaEncoding: "ieee-p1363" });
  return (token) => {
    const at = token.lastIndexOf(".");
    return verify("sha256", Buffer.from(token.slice(0, at)), key, Buffer.from(token.slice(at + 1), "base64url"));
  };
}
