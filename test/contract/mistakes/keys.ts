import { LIST, type Mistake, SEND_MESSAGE } from "./mistake.ts";

/** An `X-API-Key` of this value. */
function key(value: string) {
  return () => ({ "x-api-key": value });
}

/** Mistakes with `X-API-Key` and `X-On-Behalf-Of`. */
export const KEY_MISTAKES: readonly Mistake[] = [
  {
    mistake: "no credentials at all",
    headers: () => ({}),
    answer: "401 missing_credentials",
    says: "No credentials were sent; send an API key in X-API-Key or a user token in Authorization: Bearer <token>.",
  },
  {
    mistake: "the variable of the key is unset",
    headers: key(""),
    answer: "401 api_key_invalid",
    says: "X-API-Key is empty; check that the variable that holds the key is set.",
  },
  {
    mistake: "the variable is printed as undefined",
    headers: key("undefined"),
    answer: "401 api_key_invalid",
    says: "X-API-Key holds a placeholder and not a key; check that the variable that holds the key is set and inserted.",
  },
  {
    mistake: "the placeholder of the example is left in",
    headers: key("<API_KEY>"),
    answer: "401 api_key_invalid",
    says: "X-API-Key holds a placeholder and not a key; check that the variable that holds the key is set and inserted.",
  },
  {
    mistake: "single quotes keep the shell from inserting the key",
    headers: key("$API_KEY"),
    answer: "401 api_key_invalid",
    says: "X-API-Key holds a placeholder and not a key; check that the variable that holds the key is set and inserted.",
  },
  {
    mistake: "the word Bearer before the key",
    headers: ({ secretKey }) => ({ "x-api-key": `Bearer ${secretKey}` }),
    answer: "401 api_key_invalid",
    says: "X-API-Key begins with the word Bearer, which belongs to Authorization; send only the key.",
  },
  {
    mistake: "the quotes of a .env file around the key",
    headers: ({ secretKey }) => ({ "x-api-key": `"${secretKey}"` }),
    answer: "401 api_key_invalid",
    says: "X-API-Key holds quotation marks around its value; send the key without them.",
  },
  {
    mistake: "the key is sent twice, or by a client and its proxy",
    headers: ({ secretKey }) => ({ "x-api-key": `${secretKey}, ${secretKey}` }),
    answer: "401 api_key_invalid",
    says: "X-API-Key holds several values, joined by a comma; send exactly one key.",
  },
  {
    mistake: "a line break was pasted as a space into the key",
    headers: ({ secretKey }) => ({ "x-api-key": `${secretKey.slice(0, 20)} ${secretKey.slice(20)}` }),
    answer: "401 api_key_invalid",
    says: "X-API-Key holds a space within its value; send exactly one key, without spaces.",
  },
  {
    mistake: "a key of another service",
    headers: key("sk-proj-abcdef"),
    answer: "401 api_key_invalid",
    says: "X-API-Key begins with sk- or pk-, as other services' keys do; send a key of this service, beginning with sk_ or pk_.",
  },
  {
    mistake: "the key in capitals",
    headers: key("SK_ABCDEF"),
    answer: "401 api_key_invalid",
    says: "X-API-Key begins with capital letters; send the key as it was made, beginning with sk_ or pk_.",
  },
  {
    mistake: "the key_id in place of the key",
    headers: key(`key_${"0".repeat(32)}`),
    answer: "401 api_key_invalid",
    says: "X-API-Key holds a key_id, which only names a key; send the key itself, beginning with sk_ or pk_.",
  },
  {
    mistake: "a word that is no key",
    headers: key("letmein"),
    answer: "401 api_key_invalid",
    says: "X-API-Key holds no API key; send exactly one key, beginning with sk_ or pk_.",
  },
  {
    mistake: "the operator's token in X-API-Key",
    path: "/api/v1/operator/tenants/list",
    headers: key("the-operators-token-of-some-service-0123456789"),
    answer: "401 api_key_invalid",
    says: "X-API-Key holds no API key; send the operator's token as Authorization: Bearer <OPERATOR_TOKEN>, without X-API-Key.",
  },
  {
    mistake: "one character of the key is mistyped",
    headers: ({ secretKey }) => ({ "x-api-key": secretKey.replace(/.$/, (last) => (last === "a" ? "b" : "a")) }),
    answer: "401 api_key_not_found",
    says: "This API key is mistyped: its last 6 characters are a checksum, which does not fit the others; send the key exactly as it was made.",
  },
  {
    mistake: "the end of the key was cut",
    headers: ({ secretKey }) => ({ "x-api-key": secretKey.slice(0, -2) }),
    answer: "401 api_key_not_found",
    says: "This API key was cut: it has 37 of 39 characters; send the whole key, as it was made.",
  },
  {
    mistake: "the key with more pasted behind it",
    headers: ({ secretKey }) => ({ "x-api-key": `${secretKey}n` }),
    answer: "401 api_key_not_found",
    says: "This API key is too long: it has 40 characters instead of 39; remove what does not belong to it.",
  },
  {
    mistake: "the key_prefix, which a list shows, in place of the key",
    headers: ({ secretKey }) => ({ "x-api-key": secretKey.slice(0, 12) }),
    answer: "401 api_key_not_found",
    says: "This API key has 12 of 39 characters, as key_prefix shows them; send the whole key, which only the answer that made it holds.",
  },
  {
    mistake: "a key of a service with other prefixes",
    headers: key("sk_live_51H8abcdef"),
    answer: "401 api_key_not_found",
    says: "This API key has a character that no key has behind sk_ or pk_; send it as it was created, with only letters and digits.",
  },
  {
    mistake: "a key of another environment",
    headers: key(`sk_${"0".repeat(30)}4LUZwA`),
    answer: "401 api_key_not_found",
    says: "No such API key exists; check that it belongs to this environment.",
  },
  {
    mistake: "a user's token in X-API-Key",
    headers: ({ userToken }) => ({ "x-api-key": userToken() }),
    answer: "401 api_key_invalid",
    says: "X-API-Key holds a user token; send it as Authorization: Bearer <USER_JWT>.",
  },
  {
    mistake: "a secret key manages keys",
    path: LIST,
    headers: ({ secretKey }) => ({ "x-api-key": secretKey }),
    answer: "403 insufficient_scope",
    specific: "key_not_allowed",
    says: "An API key cannot do this, whatever its scopes; call with a dashboard user's token and without X-API-Key.",
  },
  {
    mistake: "a key without the scope of the operation",
    path: SEND_MESSAGE,
    headers: ({ secretKey }) => ({ "x-api-key": secretKey }),
    answer: "403 insufficient_scope",
    says: "This API key lacks the scope conversations:write; use a key that has it, or add it to this key's permissions.",
  },
  {
    mistake: "X-On-Behalf-Of with a key that may not impersonate",
    headers: ({ secretKey }) => ({ "x-api-key": secretKey, "x-on-behalf-of": "user_1" }),
    answer: "403 insufficient_scope",
    says: "X-On-Behalf-Of needs the scope users:impersonate, which this API key lacks; remove the header, or use a key with the scope.",
  },
  {
    mistake: "X-On-Behalf-Of with a publishable key",
    headers: ({ publishableKey, userToken }) => ({
      "x-api-key": publishableKey,
      authorization: `Bearer ${userToken()}`,
      "x-on-behalf-of": "user_1",
    }),
    answer: "403 insufficient_scope",
    says: "X-On-Behalf-Of is only for secret keys; remove it, or call with a secret key.",
  },
];
