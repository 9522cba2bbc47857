import { errorRefs } from "./errors.ts";
import type { JsonObject } from "./json.ts";

/** A path that is no RPC, since GitHub decides what its messages are. */
export const GITHUB_LEAKS_PATH = "/api/v1/api-keys/report-leak/github";

/** How GitHub says who it is. */
export const GITHUB_SECURITY_SCHEMES: JsonObject = {
  GithubSignature: {
    type: "apiKey",
    in: "header",
    name: "Github-Public-Key-Signature",
    description:
      "GitHub's signature of the body (ECDSA with P-256 and SHA-256, ASN.1, base64), with the key that `Github-Public-Key-Identifier` names.",
  },
};

const MATCH = { token: "sk_<the key that was found>", type: "acme_api_key" };

/** What the document says of the path. */
export const GITHUB_LEAKS: JsonObject = {
  operationId: "githubReportLeak",
  summary: "Keys that GitHub's secret scanning has found.",
  description:
    "The form of GitHub's partner program. Secret keys are disabled before the response, as by `report-leak`. The response says of each match whether it is a secret key of this service. While GitHub's public keys cannot be fetched it is 503. Without `GITHUB_SECRET_SCANNING` there is no such path: 404.",
  tags: ["Leak"],
  security: [{ GithubSignature: [] }],
  parameters: [
    { $ref: "#/components/parameters/RequestId" },
    {
      name: "Github-Public-Key-Identifier",
      in: "header",
      required: true,
      description: "Which of GitHub's published keys has signed the body.",
      schema: { type: "string" },
    },
  ],
  requestBody: {
    required: true,
    content: {
      "application/json": {
        schema: {
          type: "array",
          description: "The matches.",
          items: {
            type: "object",
            description: "A match.",
            properties: {
              token: text("What was found."),
              type: text("Name of the pattern that found it."),
              url: text("Where it was found. Default: not known."),
              source: text("What kind of place that is. Default: not known."),
            },
            required: ["token", "type"],
            additionalProperties: true,
          },
        },
        example: [{ ...MATCH, url: "https://github.com/octocat/hello/blob/main/.env", source: "content" }],
      },
    },
  },
  responses: {
    "200": {
      description: "Which matches are keys.",
      headers: {
        "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
        "Cache-Control": { $ref: "#/components/headers/Cache-Control" },
      },
      content: {
        "application/json": {
          schema: {
            type: "array",
            description: "An entry for each match, in their order.",
            items: {
              type: "object",
              description: "What became of a match.",
              properties: {
                token_raw: text("The token of the match."),
                token_type: text("The type of the match."),
                label: {
                  type: "string",
                  description: "Whether the token is a secret key of this service, whatever its status.",
                  enum: ["true_positive", "false_positive"],
                },
              },
              required: ["token_raw", "token_type", "label"],
            },
          },
          example: [{ token_raw: MATCH.token, token_type: MATCH.type, label: "true_positive" }],
        },
      },
    },
    ...errorRefs([404]),
  },
};

function text(description: string): JsonObject {
  return { type: "string", description };
}
