import { decodeProtectedHeader } from "jose";
import { looksLikeToken, readCredentials } from "../../../src/domain/access/credentials.ts";
import { hashSecret, SECRET_PATTERN, secretForm, secretPrefix } from "../../../src/domain/credentials/secret.ts";
import { mistypedKey, notAKey } from "../../../src/domain/keys/refused-secret.ts";
import { authorizationProblem } from "../../../src/domain/tokens/authorization-problem.ts";
import type { TokenExpectation } from "../../../src/domain/tokens/claims.ts";
import { diagnose } from "../../../src/domain/tokens/token-check.ts";
import { TOKEN_CHECKS } from "../../../src/domain/tokens/token-checks.ts";
import { checkedUser } from "../../../src/domain/tokens/user-checks.ts";
import { withoutCredentials } from "../../../src/domain/vocabulary/credential-pattern.ts";
import { quotable } from "../../../src/domain/vocabulary/request-fault.ts";
import { parseCompactToken, parseJsonObject, payloadText } from "../../../src/store/jwks/compact-token.ts";
import { parseKeySet } from "../../../src/store/jwks/key-set.ts";
import { createVerifiedTokenCaches } from "../../../src/store/jwks/verified-tokens.ts";
import { holds, type Parser } from "./parser.ts";

const KEY = "sk_0123456789ABCDEFGHIJKLMNOPQRST3d1fZ0";
const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** `X-API-Key`. */
const key: Parser = {
  seeds: [KEY, `pk_acme_${KEY.slice(3)}`, "key_01", "Bearer sk_a", "sk-abc", '"sk_a"', "<API_KEY>", "SK_A", "a, b"],
  words: ["sk_", "pk_", "acme_", "Bearer ", KEY.slice(3, 20), "eyJhbGciOiJub25lIn0", "inv_"],
  parse(bytes) {
    const text = bytes.toString("latin1");
    holds(!SECRET_PATTERN.test(quotable(text)), "a key is not quoted");
    holds(!SECRET_PATTERN.test(withoutCredentials(text)), "a key is removed from a text");
    looksLikeToken(text);
    switch (secretForm(text)) {
      case "well_formed":
        holds(hashSecret(text).length === 43 && secretPrefix(text).length === 12, "a key has a hash and a prefix");
        return;
      case "unknown":
        throw mistypedKey(text, "acme");
      case "invalid":
        throw notAKey(text);
    }
  },
};

/** `Authorization`. */
const authorization: Parser = {
  seeds: [
    "Bearer a.b.c",
    "bearer\ta",
    "Basic YTpi",
    "Bearer",
    "Bearer a, Bearer b",
    "JWT a.b.c",
    KEY,
    "<token>",
    "DPoP a",
    "Bearer:a",
  ],
  words: ["Bearer ", "bearer\t", "Digest ", "Negotiate ", "Token ", "undefined", "[object Object]", ", "],
  parse(bytes) {
    const value = bytes
      .toString("latin1")
      .replace(/[^\t\x20-\x7e\x80-\xff]/g, "")
      .trim();
    holds(/^[\x20-\x7e]+$/.test(authorizationProblem(value)), "a problem is our own text");
    const credentials = readCredentials({ apiKey: [], authorization: [value], onBehalfOf: [], dpop: [] });
    holds(credentials.kind !== "api_key" && !/[\s,]/.test(credentials.token), "a token is one word");
  },
};

const EXPECTATION: TokenExpectation = {
  issuer: "https://a.example",
  audience: "b",
  audienceClaim: "client_id",
  authorizedParties: ["c"],
  jwksUrl: "https://a.example/jwks.json",
  jwksOwner: { kind: "operator" },
};
const NOW_S = 1_767_225_600;
const CLAIMS = {
  iss: "https://a.example",
  aud: "b",
  azp: "c",
  sub: "user",
  exp: NOW_S + 60,
  iat: NOW_S,
  groups: ["staff"],
};
const USER = { userIdClaim: "sub", requiredClaims: { "a.b": "c" }, requiredBy: "operator" } as const;

/** Tokens, up to their signature. */
const token: Parser = {
  seeds: [
    `${base64url({ alg: "ES256", typ: "JWT", kid: "a" })}.${base64url(CLAIMS)}.${"A".repeat(86)}`,
    `${base64url({ alg: "none", typ: "at+jwt", crit: ["b64"] })}.e30.`,
    ...["a.b.c.d.e", "{}", '"a.b.c"', "undefined"],
  ],
  words: ["eyJhbGciOiJ", ".", base64url({ alg: "RS256" }), "A".repeat(86), "=", "e30"],
  parse(bytes) {
    const text = bytes.toString("latin1");
    const { alg, kid, text: whole } = parseCompactToken(text);
    const header = decodeProtectedHeader(whole);
    holds(header.alg === alg && header.kid === kid, "a header is read as jose reads it");
    const claims = parseJsonObject(payloadText(parseCompactToken(text)));
    if (claims !== undefined) checkClaims(claims);
  },
};

/** Claims, as any issuer may write them, to all checks. */
const claims: Parser = {
  seeds: [
    JSON.stringify(CLAIMS),
    ...[
      { ...CLAIMS, aud: ["x"], exp: 1 },
      { ...CLAIMS, nbf: 1e300, sub: 1 },
      { ...CLAIMS, a: { b: "c" } },
      { iss: "https://a.example/" },
    ].map((value) => JSON.stringify(value)),
  ],
  words: ['"sub":', '"aud":[', '"exp":', "1e400", '"a.b":', '"__proto__":{', "https://A.example"],
  parse(bytes) {
    const value = parseJsonObject(bytes.toString());
    if (value !== undefined) checkClaims(value);
  },
};

function checkClaims(value: Record<string, unknown>): void {
  const verified = { claims: value, kind: "unmarked", nowS: NOW_S } as const;
  let denial: Error | undefined;
  for (const check of TOKEN_CHECKS) {
    denial ??= check.denialOf(verified, EXPECTATION);
  }
  diagnose(TOKEN_CHECKS, verified, EXPECTATION);
  if (denial !== undefined) throw denial;
  const userId = checkedUser(value, USER);
  holds(userId.length > 0 && userId.length <= 256, "a user's id is 1 to 256 characters");
}

const newVerifiedTokens = createVerifiedTokenCaches();
const EC = {
  ...{ kty: "EC", crv: "P-256", kid: "a", alg: "ES256", use: "sig", x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU" },
  y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
};
const OKP = { kty: "OKP", crv: "Ed25519", kid: "b", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };

/** Key sets, which a tenant's provider writes. */
const keySet: Parser = {
  seeds: [
    { keys: [EC] },
    { keys: [OKP, EC, { kty: "RSA", n: "AQAB", e: "AQAB" }] },
    { keys: [{ ...EC, d: "a" }, 1, null] },
  ].map((set) => JSON.stringify(set)),
  words: [
    '"kid":',
    '"kty":"RSA"',
    '"alg":"RS256"',
    '"key_ops":["verify"]',
    '"crv":"P-521"',
    '"e":"AQAB"',
    '"use":"enc"',
  ],
  async parse(bytes) {
    const set = parseKeySet(bytes.toString(), newVerifiedTokens());
    const { keys } = await set.report();
    for (const { problem } of keys)
      holds(problem === undefined || /^[\x20-\x7e]+$/.test(problem), "a problem is our own text");
    for (const alg of ["ES256", "EdDSA", "RS256", "none"]) {
      holds(set.keysFor({ alg, kid: undefined }).length <= 8, "few keys are tried for one token");
    }
  },
};

export const CREDENTIALS = { key, authorization, token, claims, "key-set": keySet };
