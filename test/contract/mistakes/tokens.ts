import { type Credentials, LIST, type Mistake } from "./mistake.ts";

/** A publishable key with this token of its user. */
function user(token: string | ((from: Credentials) => string)) {
  return (from: Credentials) => ({
    "x-api-key": from.publishableKey,
    authorization: `Bearer ${typeof token === "string" ? token : token(from)}`,
  });
}

/** A publishable key with its user's token, whose claims are those of a good one but for these. */
function claims(changes: Record<string, unknown>) {
  return user(({ userToken }) => userToken(changes));
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
/** 2026-01-01T00:00:00Z and 2100-01-01T00:00:00Z, in seconds. */
const [PAST, FUTURE] = [1_767_225_600, 4_102_444_800];

/** Mistakes with users' tokens. */
export const TOKEN_MISTAKES: readonly Mistake[] = [
  {
    mistake: "an opaque access token",
    headers: user("2YotnFZFEjr1zCsicMWpAA"),
    answer: "401 jwt_malformed",
    says: "The user token is opaque: it is not a JWT, which has three parts separated by dots; send the ID token, or have the issuer make access tokens that are JWTs, which some do only for a requested audience.",
  },
  {
    mistake: "an encrypted token",
    headers: user(`${part({ alg: "dir", enc: "A256GCM" })}..aXY.Y3Q.dGFn`),
    answer: "401 jwt_malformed",
    says: "The user token is encrypted: its five parts are a JWE; send the ID token, or have the issuer make access tokens that are signed and not encrypted, which some do only for a requested audience.",
  },
  {
    mistake: "the token without its signature",
    headers: user(({ userToken }) => userToken().replace(/\.[^.]*$/, "")),
    answer: "401 jwt_malformed",
    says: "The user token has 2 parts instead of the three of a JWT; send the token whole, as its issuer signed it.",
  },
  {
    mistake: "the token in plain base64",
    headers: user(({ userToken }) => `${userToken()}==`),
    answer: "401 jwt_malformed",
    says: "The user token has a character that base64url lacks, such as =, + or /; send the token as its issuer made it.",
  },
  {
    mistake: "three words in place of the three parts",
    headers: user("header.payload.signature"),
    answer: "401 jwt_malformed",
    says: "The user token's header is not a JSON object in base64url; send the token whole, as its issuer signed it.",
  },
  {
    mistake: "a token of HS256, by a secret of the provider's",
    headers: user(`${part({ alg: "HS256" })}.${part({ sub: "user_1" })}.c2lnbmF0dXJl`),
    answer: "401 jwt_invalid_signature",
    says: "The user token is signed with HS256, which takes a secret shared with its issuer and is not accepted; have its issuer sign with an asymmetric key, such as RS256, ES256 or EdDSA. It was checked with publishableConfig.oidc of the key in X-API-Key.",
  },
  {
    mistake: "a token that is not signed",
    headers: user(`${part({ alg: "none" })}.${part({ sub: "user_1" })}.`),
    answer: "401 jwt_invalid_signature",
    says: 'The user token is not signed, as its alg "none" says; have its issuer sign with an asymmetric key, such as RS256, ES256 or EdDSA. It was checked with publishableConfig.oidc of the key in X-API-Key.',
  },
  {
    mistake: "a token of another provider",
    headers: user(({ dashboardToken }) => dashboardToken()),
    answer: "401 jwt_invalid_signature",
    says: "The user token's signature (alg ES256, kid \"platform-key\") could not be verified with the keys of the configured issuer; check that the token is that issuer's and unchanged, and that its key is in the issuer's key set. It was checked with publishableConfig.oidc of the key in X-API-Key.",
  },
  {
    mistake: "an app's user's token without the app's key",
    headers: ({ userToken }) => ({ authorization: `Bearer ${userToken()}` }),
    answer: "401 jwt_invalid_signature",
    says: "The user token's signature (alg ES256, kid \"user-key\") could not be verified with the keys of the configured issuer; check that the token is that issuer's and unchanged, and that its key is in the issuer's key set. It came without X-API-Key and was checked as a dashboard user's: for an app's user, send the publishable key in X-API-Key, too.",
  },
  {
    mistake: "a dashboard user's token of another audience",
    headers: ({ dashboardToken }) => ({ authorization: `Bearer ${dashboardToken({ aud: "my-app" })}` }),
    answer: "401 jwt_invalid_audience",
    says: "The user token's aud claim \"my-app\" differs from the configured audience; send a token issued for that audience. It came without X-API-Key and was checked as a dashboard user's: for an app's user, send the publishable key in X-API-Key, too.",
  },
  {
    mistake: "an issuer with a slash too many",
    headers: claims({ iss: "https://idp.example.com/" }),
    answer: "401 jwt_invalid_issuer",
    says: 'The user token\'s iss claim "https://idp.example.com/" differs from the configured issuer only in the slash at its end, which the configuration lacks; set both to the same text. It was checked with publishableConfig.oidc of the key in X-API-Key.',
  },
  {
    mistake: "an issuer in other letters",
    headers: claims({ iss: "https://IdP.example.com" }),
    answer: "401 jwt_invalid_issuer",
    says: 'The user token\'s iss claim "https://IdP.example.com" differs from the configured issuer only in upper and lower case; set both to the same text. It was checked with publishableConfig.oidc of the key in X-API-Key.',
  },
  {
    mistake: "an issuer of http",
    headers: claims({ iss: "http://idp.example.com" }),
    answer: "401 jwt_invalid_issuer",
    says: 'The user token\'s iss claim "http://idp.example.com" differs from the configured issuer only in its scheme, http or https; set both to the same text. It was checked with publishableConfig.oidc of the key in X-API-Key.',
  },
  {
    mistake: "another environment's issuer",
    headers: claims({ iss: "https://staging.example.com" }),
    answer: "401 jwt_invalid_issuer",
    says: 'The user token\'s iss claim "https://staging.example.com" differs from the configured issuer; send a token of that issuer. It was checked with publishableConfig.oidc of the key in X-API-Key.',
  },
  {
    mistake: "no issuer",
    headers: claims({ iss: undefined }),
    answer: "401 jwt_invalid_issuer",
    says: "The user token lacks the claim iss; have its issuer add it, equal to the configured issuer. It was checked with publishableConfig.oidc of the key in X-API-Key.",
  },
  {
    mistake: "no audience, as in access tokens of some providers",
    headers: claims({ aud: undefined }),
    answer: "401 jwt_invalid_audience",
    says: "The user token lacks the claim aud; send a token that has it, such as the ID token, or have its issuer add the configured audience. It was checked with publishableConfig.oidc of the key in X-API-Key.",
  },
  {
    mistake: "another app's audience",
    headers: claims({ aud: "other-app" }),
    answer: "401 jwt_invalid_audience",
    says: 'The user token\'s aud claim "other-app" differs from the configured audience; send a token issued for that audience. It was checked with publishableConfig.oidc of the key in X-API-Key.',
  },
  {
    mistake: "an audience in other letters",
    headers: claims({ aud: "My-App" }),
    answer: "401 jwt_invalid_audience",
    says: 'The user token\'s aud claim "My-App" differs from the configured audience only in upper and lower case; set both to the same text. It was checked with publishableConfig.oidc of the key in X-API-Key.',
  },
  {
    mistake: "several audiences, none of them the app's",
    headers: claims({ aud: ["api", "other-app"] }),
    answer: "401 jwt_invalid_audience",
    says: 'The user token\'s aud claim "api", "other-app" does not have the configured audience; send a token issued for that audience. It was checked with publishableConfig.oidc of the key in X-API-Key.',
  },
  {
    mistake: "an audience that is a number",
    headers: claims({ aud: 7 }),
    answer: "401 jwt_invalid_audience",
    says: "The user token's aud claim must be a string or an array of strings; have its issuer make it so. It was checked with publishableConfig.oidc of the key in X-API-Key.",
  },
  {
    mistake: "an expired token",
    headers: claims({ exp: PAST }),
    answer: "401 jwt_expired",
    says: "The user token expired at 2026-01-01T00:00:00Z; have the user sign in again, or refresh the token.",
  },
  {
    mistake: "no expiry",
    headers: claims({ exp: undefined }),
    answer: "401 jwt_malformed",
    says: "The user token lacks the claim exp as a number below 2^53; have its issuer give it an expiry.",
  },
  {
    mistake: "a token that is not valid yet",
    headers: claims({ nbf: FUTURE }),
    answer: "401 jwt_malformed",
    says: "The user token's claim nbf lies in the future: the token is valid from 2100-01-01T00:00:00Z on; use it from then on, or set its issuer's clock.",
  },
  {
    mistake: "times in milliseconds",
    headers: claims({ iat: PAST * 1_000 }),
    answer: "401 jwt_malformed",
    says: "The user token's claim iat is in milliseconds; have its issuer give it in seconds.",
  },
  {
    mistake: "no user id",
    headers: claims({ sub: undefined }),
    answer: "401 user_id_claim_not_found",
    says: "The user token lacks the claim sub, which holds the user id; issue it with that claim as a string of 1 to 256 characters, containing a visible character and no control characters.",
  },
  {
    mistake: "a number as the user id",
    headers: claims({ sub: 42 }),
    answer: "401 user_id_claim_not_found",
    says: "The user token has the claim sub, which holds the user id, as a number; issue it with that claim as a string of 1 to 256 characters, containing a visible character and no control characters.",
  },
  {
    mistake: "no required claim",
    headers: claims({ plan: undefined }),
    answer: "401 jwt_malformed",
    says: "The user token does not carry the required claim plan; send a token that has it with the value that the key requires.",
  },
  {
    mistake: "a required claim of another value",
    headers: claims({ plan: "free" }),
    answer: "401 jwt_malformed",
    says: "The user token has another value in the required claim plan; send a token that has it with the value that the key requires.",
  },
  {
    mistake: "a required claim that is a list",
    headers: claims({ plan: ["pro"] }),
    answer: "401 jwt_malformed",
    says: "The user token has an array instead of a string in the required claim plan; send a token that has it with the value that the key requires.",
  },
  {
    mistake: "a dashboard user before the first organization",
    path: LIST,
    headers: ({ dashboardToken }) => ({ authorization: `Bearer ${dashboardToken({ tenant_id: undefined })}` }),
    answer: "403 tenant_required",
    says: "The user token names no tenant: its claim tenant_id, or the one that the operator named, must be a string of 1 to 256 characters, containing a visible character and no control characters; create an organization or accept an invitation and refresh the token, or have the identity provider issue such a claim.",
  },
  {
    mistake: "an app's user without the app's key, where dashboard users have the same provider",
    headers: ({ dashboardToken }) => ({ authorization: `Bearer ${dashboardToken({ tenant_id: undefined })}` }),
    answer: "403 tenant_required",
    says: "The user token names no tenant: its claim tenant_id, or the one that the operator named, must be a string of 1 to 256 characters, containing a visible character and no control characters; create an organization or accept an invitation and refresh the token, or have the identity provider issue such a claim. The token came without X-API-Key: for an app's user, send the publishable key in X-API-Key, too.",
  },
  {
    mistake: "an app's publishable key where a backend's secret key may call",
    path: "/api/v1/audit/list",
    headers: claims({}),
    answer: "403 insufficient_scope",
    specific: "key_not_allowed",
    says: "A publishable key cannot do this, whatever its scopes; call with a secret key, from a server, or with a dashboard user's token and without X-API-Key.",
  },
];
