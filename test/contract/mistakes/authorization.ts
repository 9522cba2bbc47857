import { type Credentials, LIST, type Mistake } from "./mistake.ts";

/** An `Authorization` of this value, and no key. */
function authorization(value: string | ((from: Credentials) => string)) {
  return (from: Credentials) => ({ authorization: typeof value === "string" ? value : value(from) });
}

/** As `curl -u` sends it. */
function basic(userAndPassword: string): string {
  return `Basic ${Buffer.from(userAndPassword).toString("base64")}`;
}

/** Mistakes with `Authorization` that show before any token is read. */
export const AUTHORIZATION_MISTAKES: readonly Mistake[] = [
  {
    mistake: "a user name and a password",
    headers: authorization("Basic dXNlcjpwYXNz"),
    answer: "401 jwt_malformed",
    says: "Authorization holds Basic credentials, a user name and a password, which are not accepted; send Authorization: Bearer <USER_JWT>.",
  },
  {
    mistake: "a token without the word Bearer",
    headers: authorization(({ dashboardToken }) => dashboardToken()),
    answer: "401 jwt_malformed",
    says: "Authorization holds a token without the word Bearer before it; send Authorization: Bearer <USER_JWT>.",
  },
  {
    mistake: "the word Token in place of Bearer",
    headers: authorization(({ dashboardToken }) => `Token ${dashboardToken()}`),
    answer: "401 jwt_malformed",
    says: 'Authorization begins with the word "Token" instead of Bearer; send Authorization: Bearer <USER_JWT>.',
  },
  {
    mistake: "a colon behind Bearer",
    headers: authorization(({ dashboardToken }) => `Bearer: ${dashboardToken()}`),
    answer: "401 jwt_malformed",
    says: "Authorization has something other than a space behind the word Bearer; send Authorization: Bearer <USER_JWT>.",
  },
  {
    mistake: "Bearer, and the token is unset",
    headers: authorization("Bearer"),
    answer: "401 jwt_malformed",
    says: "Authorization holds the word Bearer without a token behind it; send Authorization: Bearer <USER_JWT>.",
  },
  {
    mistake: "Bearer twice, once of the client and once of the program",
    headers: authorization(({ dashboardToken }) => `Bearer Bearer ${dashboardToken()}`),
    answer: "401 jwt_malformed",
    says: "Authorization holds the word Bearer twice; send Authorization: Bearer <USER_JWT>.",
  },
  {
    mistake: "two Authorization headers, joined by a proxy",
    headers: authorization(({ dashboardToken }) => `Bearer ${dashboardToken()}, Bearer ${dashboardToken()}`),
    answer: "401 jwt_malformed",
    says: "Authorization holds several values, joined by a comma; send Authorization: Bearer <USER_JWT>.",
  },
  {
    mistake: "a secret key as the token",
    headers: authorization(({ secretKey }) => `Bearer ${secretKey}`),
    answer: "401 jwt_malformed",
    says: "Authorization holds an API key; send it in X-API-Key.",
  },
  {
    mistake: "a secret key behind the word ApiKey",
    headers: authorization(({ secretKey }) => `ApiKey ${secretKey}`),
    answer: "401 jwt_malformed",
    says: "Authorization holds an API key; send it in X-API-Key.",
  },
  {
    mistake: "a secret key as a parameter of the word Token",
    headers: authorization(({ secretKey }) => `Token token="${secretKey}"`),
    answer: "401 jwt_malformed",
    says: "Authorization holds an API key; send it in X-API-Key.",
  },
  {
    mistake: "a secret key behind the word Basic",
    headers: authorization(({ secretKey }) => `Basic ${secretKey}`),
    answer: "401 jwt_malformed",
    says: "Authorization holds an API key; send it in X-API-Key.",
  },
  {
    mistake: "a secret key as the user name, as in curl -u",
    headers: authorization(({ secretKey }) => basic(`${secretKey}:`)),
    answer: "401 jwt_malformed",
    says: "Authorization holds an API key; send it in X-API-Key.",
  },
  {
    mistake: "a secret key as the password",
    headers: authorization(({ secretKey }) => basic(`api:${secretKey}`)),
    answer: "401 jwt_malformed",
    says: "Authorization holds an API key; send it in X-API-Key.",
  },
  {
    mistake: "the publishable key in X-API-Key and as the user name",
    headers: ({ publishableKey }) => ({ "x-api-key": publishableKey, authorization: basic(`${publishableKey}:`) }),
    answer: "401 jwt_malformed",
    says: "Authorization holds an API key; send the user's token there, as Bearer <USER_JWT>.",
  },
  {
    mistake: "a secret key beside a token that is none, where users may call",
    path: LIST,
    headers: ({ secretKey }) => ({ "x-api-key": secretKey, authorization: "Bearer letmein" }),
    answer: "403 insufficient_scope",
    says: "An API key cannot do this, whatever its scopes; call with a dashboard user's token and without X-API-Key.",
    specific: "key_not_allowed",
  },
  {
    mistake: "the publishable key in both headers",
    headers: ({ publishableKey }) => ({ "x-api-key": publishableKey, authorization: `Bearer ${publishableKey}` }),
    answer: "401 jwt_malformed",
    says: "Authorization holds an API key; send the user's token there, as Bearer <USER_JWT>.",
  },
  {
    mistake: "a publishable key without a user's token",
    headers: ({ publishableKey }) => ({ "x-api-key": publishableKey }),
    answer: "401 publishable_key_requires_jwt",
    says: "A publishable key needs its user's token; add Authorization: Bearer <USER_JWT>.",
  },
  {
    mistake: "a publishable key with a user name and a password",
    headers: ({ publishableKey }) => ({ "x-api-key": publishableKey, authorization: "Basic dXNlcjpwYXNz" }),
    answer: "401 publishable_key_requires_jwt",
    says: "Authorization holds Basic credentials, a user name and a password, which are not accepted; send Authorization: Bearer <USER_JWT>.",
  },
  {
    mistake: "the token is undefined",
    headers: authorization("Bearer undefined"),
    answer: "401 jwt_malformed",
    says: "Authorization holds a placeholder and not a user token; check that the variable that holds the token is set and inserted.",
  },
  {
    mistake: "the placeholder of the example is left in",
    headers: authorization("Bearer <USER_JWT>"),
    answer: "401 jwt_malformed",
    says: "Authorization holds a placeholder and not a user token; check that the variable that holds the token is set and inserted.",
  },
  {
    mistake: "quotes around the token",
    headers: authorization(({ dashboardToken }) => `Bearer "${dashboardToken()}"`),
    answer: "401 jwt_malformed",
    says: "Authorization holds quotation marks around the user token; send Authorization: Bearer <USER_JWT> without them.",
  },
];
