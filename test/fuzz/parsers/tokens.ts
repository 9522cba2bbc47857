import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { calculateJwkThumbprint } from "jose/jwk/thumbprint";
import { accessTokenHash, createProofCheck, normalizedUrl } from "../../../src/domain/access-tokens/proof.ts";
import { verifyAssertion } from "../../../src/domain/federation/assertion.ts";
import type { FederationRule } from "../../../src/domain/federation/rule.ts";
import { readClaimRules, unmetRule } from "../../../src/domain/tokens/claim-rules.ts";
import { proofVerifier } from "../../../src/store/jwks/proof-verifier.ts";
import { createTokenVerifier } from "../../../src/store/jwks/token-verifier.ts";
import { startMemoryTokens } from "../../harness/memory-tokens.ts";
import { TOKEN_ISSUER } from "../../harness/token-settings.ts";
import { holds, type Parser } from "./parser.ts";

export const NOW = new Date("2026-01-01T00:00:00Z");
const NOW_S = NOW.getTime() / 1_000;

/** A key that is the same in each run, so that what it has signed can be kept in the corpus. */
const PKCS8_ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");
const PRIVATE_KEY = createPrivateKey({
  ...{ key: Buffer.concat([PKCS8_ED25519, Buffer.alloc(32, 7)]), format: "der", type: "pkcs8" },
});
const JWK = createPublicKey(PRIVATE_KEY).export({ format: "jwk" }) as Record<string, string>;
const JKT = await calculateJwkThumbprint(JWK);

function signed(header: object, claims: object): string {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${text}.${sign(null, Buffer.from(text), PRIVATE_KEY).toString("base64url")}`;
}

/** What a signature is of. A signature itself may have several forms. */
function content(token: string): string {
  return token.slice(0, token.lastIndexOf("."));
}

const TOKEN = "a.b.c";
const TARGET = { method: "POST", url: "/api/v1/auth/verify" };
const PROOF_HEADER = { alg: "EdDSA", typ: "dpop+jwt", jwk: JWK };
const PROOF_CLAIMS = { jti: "1", htm: "POST", htu: TOKEN_ISSUER + TARGET.url, iat: NOW_S, ath: accessTokenHash(TOKEN) };
const PROOF = signed(PROOF_HEADER, PROOF_CLAIMS);
/** A new one each time: it remembers what it has checked. */
const newProofCheck = () =>
  createProofCheck({
    issuer: TOKEN_ISSUER,
    verifier: proofVerifier,
    usedOnce: { isUsed: async () => false, use: async () => true },
  });

/** The header `DPoP`. The first byte says whether it comes with a token, which is bound to the one key. */
const proof: Parser = {
  seeds: [
    `0${PROOF}`,
    `1${PROOF}`,
    ...[
      signed(PROOF_HEADER, { ...PROOF_CLAIMS, htu: "https://%6Catchkey.test:443/api/v1/auth/verify?a#b" }),
      signed({ ...PROOF_HEADER, alg: "ES256" }, PROOF_CLAIMS),
      signed({ ...PROOF_HEADER, jwk: { ...JWK, d: "a" } }, PROOF_CLAIMS),
      signed({ ...PROOF_HEADER, jwk: { kty: "RSA", n: "AQAB", e: "AQAB" }, alg: "RS256" }, PROOF_CLAIMS),
      signed({ ...PROOF_HEADER, crit: ["b64"] }, PROOF_CLAIMS),
      signed(PROOF_HEADER, { ...PROOF_CLAIMS, iat: "1", jti: 1 }),
    ].map((text) => `1${text}`),
  ],
  words: [".", "eyJ", "=", PROOF.split(".")[0] ?? "", Buffer.from('{"typ":"dpop+jwt"}').toString("base64url")],
  async parse(bytes) {
    const text = bytes.subarray(1).toString("latin1");
    normalizedUrl(text);
    const token = bytes[0] === 0x30 ? { text: TOKEN, jkt: JKT } : undefined;
    const { jkt } = await newProofCheck()([text], { target: TARGET, now: NOW, token });
    holds(token === undefined || content(text) === content(PROOF), "only what the token's key has signed is a proof");
    holds(/^[\w-]{43}$/.test(jkt), "a thumbprint is a SHA-256");
  },
};

const tokens = await startMemoryTokens(() => NOW);
const issued = await tokens.issue({
  ...{ tokenId: "tok_1", tenantId: "ten_1", keyId: "key_1", secretHash: "a", scopes: ["plans:read"], userId: null },
  ...{ audience: TOKEN_ISSUER, confirmationJkt: JKT, ruleId: null, expiresAt: new Date(NOW.getTime() + 900_000) },
});

/** Tokens of the service's own. */
const accessToken: Parser = {
  seeds: [
    issued.text,
    signed({ alg: "ES256", typ: "at+jwt", kid: "a" }, { iss: TOKEN_ISSUER, jti: "a", iat: NOW_S, exp: NOW_S + 60 }),
    signed({ alg: "ES256", typ: "JWT" }, { iss: TOKEN_ISSUER }),
    signed({ alg: "ES256", typ: "at+jwt" }, { iss: `${TOKEN_ISSUER}/` }),
  ],
  words: [".", "eyJ", "=", ...issued.text.split(".")],
  async parse(bytes) {
    const text = bytes.toString("latin1");
    const tokenId = await tokens.issuer.verify(text);
    holds(tokenId === undefined || content(text) === content(issued.text), "only what this service signed is its own");
  },
};

const AUDIENCE = "https://latchkey.example";
/** A rule of a tenant that has pasted the keys of its platform. */
export const RULE: FederationRule = {
  ...{ ruleId: "fed_1", tenantId: "ten_1", name: "a rule", issuer: "https://ci.example.com", audience: AUDIENCE },
  ...{ jwksUrl: null, jwks: { keys: [{ ...JWK, kid: "a", alg: "EdDSA", use: "sig" }] }, keyId: "key_1" },
  ...{ scopes: ["plans:read"], ttlSeconds: 900, status: "enabled", createdAt: NOW, updatedAt: NOW },
  claimRules: [
    { claim: "sub", equals: "repo:acme/shop" },
    { claim: "groups", contains: "staff" },
  ],
};
const ASSERTION_HEADER = { alg: "EdDSA", typ: "JWT", kid: "a" };
const WORKLOAD = {
  ...{ iss: RULE.issuer, aud: RULE.audience, sub: "repo:acme/shop", groups: ["staff"], jti: "1" },
  ...{ iat: NOW_S, exp: NOW_S + 600 },
};
export const ASSERTION = signed(ASSERTION_HEADER, WORKLOAD);
const { sub: _sub, ...NAMELESS } = WORKLOAD;
export const tokenVerifier = createTokenVerifier({
  ...{ clock: () => NOW, jwksAllowedHosts: [], onKeySetChange: () => {} },
});

/** Workloads' own tokens. */
const assertion: Parser = {
  seeds: [
    ASSERTION,
    ...[
      { ...WORKLOAD, exp: NOW_S + 8 * 86_400 },
      { ...WORKLOAD, groups: "staff admins", aud: [AUDIENCE] },
      { ...WORKLOAD, events: { "http://schemas.openid.net/event/backchannel-logout": {} } },
      { ...WORKLOAD, exp: 1e300 },
      NAMELESS,
    ].map((claims) => signed(ASSERTION_HEADER, claims)),
    signed({ alg: "none" }, WORKLOAD),
    signed({ ...ASSERTION_HEADER, kid: "b" }, WORKLOAD),
  ],
  words: [".", "eyJ", "=", ...ASSERTION.split(".")],
  async parse(bytes) {
    const text = bytes.toString("latin1");
    const { claims } = await verifyAssertion({ tokens: tokenVerifier, keyClock: () => NOW }, RULE, text);
    holds(claims.sub === WORKLOAD.sub, "only the workload of the rule satisfies it");
    holds(
      assertion.seeds.some((seed) => content(seed) === content(text)),
      "only what the key has signed is accepted",
    );
  },
};

/** The rules that a tenant writes for claims, in JSON. */
const claimRules: Parser = {
  seeds: [
    JSON.stringify(RULE.claimRules),
    '[{"claim":"a.b","equals":1},{"claim":"a","equals":true}]',
    '[{"claim":"","contains":""}]',
    '[{"claim":"a","equals":1,"contains":"b"},{"unknown":1}]',
    "[]",
  ],
  words: ['{"claim":"', '"equals":', '"contains":"', '"__proto__"', "1e400", "sub.length", "null"],
  parse(bytes) {
    let value: unknown;
    try {
      value = JSON.parse(bytes.toString());
    } catch {
      return;
    }
    const rules = readClaimRules(value);
    if (typeof rules === "string") return holds(/^[\x20-\x7e]{1,600}$/.test(rules), "a problem is our own text");
    holds(rules.length > 0 && rules.length <= 32, "there are 1 to 32 rules");
    unmetRule(WORKLOAD, rules);
  },
};

export const TOKENS = { proof, "access-token": accessToken, assertion, "claim-rules": claimRules };
