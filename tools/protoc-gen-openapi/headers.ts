import type { JsonObject } from "./json.ts";

const ON_KEY_CALLS = "On every answer to a request that carries `X-API-Key`.";
const COUNT: JsonObject = { type: "integer", minimum: 0, maximum: 2147483647 };

/** Headers of answers. A required one is on every answer whose response lists it. */
export const HEADERS: JsonObject = {
  "X-Request-Id": header("Identifies the request in the logs; the caller's own if it sent a sane one.", true, {
    type: "string",
    pattern: "^[A-Za-z0-9._-]{1,128}$",
  }),
  "X-RateLimit-Limit": header(
    `Maximum number of requests in the current window: of the minute and the hour the one with fewer requests remaining; 2147483647: unlimited. ${ON_KEY_CALLS}`,
    false,
    COUNT,
  ),
  "X-RateLimit-Remaining": header(
    `Requests remaining in that window; 0 on a 429, whatever denied it. ${ON_KEY_CALLS}`,
    false,
    COUNT,
  ),
  "X-RateLimit-Reset": header(
    `Unix timestamp, in seconds, when that window resets; on a 429 no sooner than a retry is admitted. ${ON_KEY_CALLS}`,
    false,
    {
      type: "integer",
      minimum: 0,
    },
  ),
  "Retry-After": header("Whole seconds until a retry can succeed.", true, { type: "integer", minimum: 1 }),
  "Cache-Control": header("No cache may keep the answer: it holds a secret, or the decision on one call.", true, {
    type: "string",
    const: "no-store",
  }),
  "WWW-Authenticate": header(
    'As RFC 6750 has it, and RFC 9449 with the scheme DPoP for a proof: of a refused token `error="invalid_token"` and a description, of a lacking scope `error="insufficient_scope"` and the scope; otherwise the realm alone.',
    true,
    {
      type: "string",
      pattern: "^(?:Bearer|DPoP) [a-z_]+=",
    },
  ),
  Allow: header("The only method.", true, { type: "string", const: "POST" }),
  "Accept-Encoding": header("Where the body was compressed: it must not be.", false, {
    type: "string",
    const: "identity",
  }),
};

/** Headers of requests, beside the credentials, which are security schemes. */
export const PARAMETERS: JsonObject = {
  OnBehalfOf: {
    name: "X-On-Behalf-Of",
    in: "header",
    required: false,
    description:
      "The user to act for: 1 to 256 printable characters in UTF-8, without a comma. Only for a secret key with the scope `users:impersonate`; any other caller is answered 403.",
    schema: { type: "string", minLength: 1, maxLength: 256, pattern: "^(?:[^\\p{C}\\p{Z},]| )+$" },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "The same as `client_request_id` in the body; where both are sent, they must be equal. 1 to 128 characters, with or without quotation marks.",
    schema: { type: "string", maxLength: 258, pattern: "^[ -~]*$" },
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description:
      "The caller's id of the request, repeated in the answer: 1 to 128 letters, digits, `.`, `_` or `-`. Any other value is accepted, and replaced.",
    schema: { type: "string" },
  },
};

/** A header of the 500 alone that is not on each of them, with when it is. */
export const RETRY_AFTER_RATE_LIMITED = header(
  "Whole seconds until a retry is admitted. Absent only where the request's `cost` is above the limit: none ever is.",
  false,
  { type: "integer", minimum: 1 },
);

export const CHALLENGE_FOR_SCOPE = header(
  'With `insufficient_scope` only: `Bearer error="insufficient_scope"`, and the scope if one is lacking.',
  false,
  { type: "string", pattern: '^Bearer error="insufficient_scope"' },
);

export const RETRY_AFTER_VERIFIER_ERROR = header(
  "Whole seconds until a retry can succeed. With `verifier_error` only: no other fault of this status passes by itself.",
  false,
  { type: "integer", minimum: 1 },
);

function header(description: string, required: boolean, schema: JsonObject): JsonObject {
  return { description, required, schema };
}
