import type { JsonObject } from "./json.ts";

/** A path that is no RPC: any OAuth client speaks it. */
export const OAUTH_TOKEN_PATH = "/oauth/token";

export const OAUTH_TAG: JsonObject = {
  name: "OAuth",
  description: "How a workload gets a token without any stored secret.",
};

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const JWT_TYPE = "urn:ietf:params:oauth:token-type:jwt";
const ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";
const RULE_ID = "fed_c48e2f0b7a914d53b6e1f9d02c7a8e65";

/** What the document says of the path. */
export const OAUTH_TOKEN: JsonObject = {
  operationId: "oauthToken",
  summary: "A workload's token for one of this service.",
  description:
    "Exchanges the token that a workload has from its own platform, such as a CI job's, for a short one of this service, by a rule of FederationService. RFC 8693 and RFC 7523; errors as RFC 6749, 5.2. A token is exchanged once. Without `TOKEN_SECRET` there is no such path: 404.",
  tags: ["OAuth"],
  security: [{}],
  parameters: [{ $ref: "#/components/parameters/RequestId" }],
  requestBody: {
    required: true,
    content: {
      "application/x-www-form-urlencoded": {
        schema: {
          type: "object",
          properties: {
            grant_type: { type: "string", description: "Which of the two.", enum: [EXCHANGE, JWT_BEARER] },
            client_id: text(
              "Identifier of the rule, `fed_...`; here, or as the user name of HTTP Basic with any password.",
            ),
            subject_token: text("The workload's token, for the token exchange."),
            subject_token_type: text(
              `What \`subject_token\` is: \`${JWT_TYPE}\` or \`urn:ietf:params:oauth:token-type:id_token\`.`,
            ),
            requested_token_type: text(`\`${ACCESS_TOKEN_TYPE}\`, or left out.`),
            assertion: text("The workload's token, for the JWT bearer grant."),
            scope: text(
              "Scopes of the token, among those of the rule, with spaces between them. Default: all of them.",
            ),
            audience: text("`TOKEN_ISSUER`, or left out."),
            resource: text("`TOKEN_ISSUER`, or left out."),
          },
          required: ["grant_type"],
          // Other members are allowed, as they are where nothing is said of them. To say so makes openapi-generator report an error.
        },
        examples: {
          token_exchange: {
            summary: "RFC 8693",
            value: {
              ...{ grant_type: EXCHANGE, client_id: RULE_ID, subject_token_type: JWT_TYPE },
              subject_token: "<the workload's token>",
            },
          },
          jwt_bearer: {
            summary: "RFC 7523",
            value: { grant_type: JWT_BEARER, client_id: RULE_ID, assertion: "<the workload's token>" },
          },
        },
      },
    },
  },
  responses: {
    "200": answer("The token.", {
      type: "object",
      properties: {
        access_token: text("The token, a JWT."),
        issued_token_type: text(`\`${ACCESS_TOKEN_TYPE}\`, for the token exchange.`),
        token_type: text("How it is sent: `Bearer`, or `DPoP` if it is bound to a key."),
        expires_in: { type: "integer", description: "For how many seconds it is valid." },
        scope: text("Its scopes, with spaces between them."),
      },
      required: ["access_token", "token_type", "expires_in", "scope"],
      example: {
        ...{ access_token: "<the token, a JWT>", issued_token_type: ACCESS_TOKEN_TYPE, token_type: "Bearer" },
        ...{ expires_in: 900, scope: "conversations:read" },
      },
    }),
    "400": answer("The request is refused, as `error` says.", error()),
    "429": answer(
      "Too many exchanges, or tokens of the rule that have not expired; wait for the seconds in `Retry-After`.",
      error(),
    ),
    "503": answer(
      "The keys of the issuer or the storage cannot be reached; wait for the seconds in `Retry-After`.",
      error(),
    ),
  },
};

function text(description: string): JsonObject {
  return { type: "string", description };
}

function error(): JsonObject {
  return {
    type: "object",
    properties: {
      error: text(
        "`invalid_request`, `invalid_client`, `invalid_grant`, `invalid_scope`, `invalid_target`, `unsupported_grant_type` or `temporarily_unavailable`.",
      ),
      error_description: text("What to do, as a sentence."),
    },
    required: ["error", "error_description"],
  };
}

function answer(description: string, { example, ...schema }: JsonObject): JsonObject {
  return {
    description,
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
      "Cache-Control": { $ref: "#/components/headers/Cache-Control" },
    },
    content: { "application/json": { schema, ...(example !== undefined && { example }) } },
  };
}
