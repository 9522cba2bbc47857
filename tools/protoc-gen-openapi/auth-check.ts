import { securityOf } from "../../clients/typescript/src/policy/security.ts";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { errorRefs, errorResponse } from "./errors.ts";
import { COMMON_FAULTS, type Fault } from "./faults.ts";
import type { JsonObject } from "./json.ts";
import { policyOf } from "./operation.ts";

/** A path that is not an RPC, since a proxy can ask by a query and headers only. */
export const AUTH_CHECK_PATH = "/auth/check";

/** Headers about the caller, on every 200. */
const CALLER_HEADERS: Readonly<Record<string, JsonObject>> = {
  "X-Auth-Caller": caller("Kind of the caller.", { enum: ["dashboard_user", "secret_key", "publishable_key"] }),
  "X-Auth-Tenant-Id": caller("Tenant of the call, percent-encoded."),
  "X-Auth-Key-Id": caller("Identifier of the key."),
  "X-Auth-User-Id": caller("User of the call, percent-encoded."),
  "X-Auth-Token-Id": caller("Identifier of the access token."),
  "X-Auth-Permissions": caller("Scopes of the caller, with spaces between them."),
  "X-Auth-Acting-For": caller("The user that the key acts for, as `X-On-Behalf-Of` named them, percent-encoded."),
  "X-Auth-External-Id": caller("`external_id` of the key, percent-encoded."),
  "X-Auth-Metadata": caller("`metadata` of the key: its JSON as base64url.", { pattern: "^[A-Za-z0-9_-]*$" }),
};

/** Its error in headers, for a proxy that cannot pass on a body. */
const ERROR_HEADERS: JsonObject = {
  "X-Auth-Denial-Reason": failure("`denial_reason` of the body; empty: the error is not a denial."),
  "X-Auth-Denial": failure("The body, without `details`, as JSON in visible ASCII."),
};

export const AUTH_CHECK_HEADERS: JsonObject = { ...CALLER_HEADERS, ...ERROR_HEADERS };

/** It reads no body, of whatever type and size. */
const OF_BODIES: readonly number[] = [405, 413, 415];
/** Statuses that the connection answers itself. */
const OF_CONNECTIONS: readonly number[] = [408, 417, 431, 505];

const faults = COMMON_FAULTS.filter(({ status }) => !OF_BODIES.includes(status));
const own = faults.filter(({ status }) => !OF_CONNECTIONS.includes(status)).map(asked);

/** A response for each status whose error is in headers, too. */
export const AUTH_CHECK_RESPONSES: JsonObject = Object.fromEntries(
  own.map((fault) => [nameOf(fault), errorResponse(fault, ["Cache-Control", ...Object.keys(ERROR_HEADERS)])]),
);

/** By `GET` and `POST`, which most proxies send. */
export const AUTH_CHECK: JsonObject = {
  get: operation("authCheck"),
  post: operation("authCheckByPost"),
};

function operation(operationId: string): JsonObject {
  const { method } = AuthService;
  return {
    operationId,
    summary: "Verify for reverse proxies: the decision as a status, the caller in headers",
    description:
      "The decision of `auth/verify` on the credentials of a request that a proxy forwards. It takes any method, as some proxies forward that of the request, and ignores a body. It has no path below it. At its end the query may have `path=` and any text, for proxies that can only append the address of the request. Texts that are percent-encoded are UTF-8.",
    tags: ["Auth"],
    security: securityOf(policyOf(method.verify)),
    parameters: [
      {
        name: "scope",
        in: "query",
        required: false,
        description: "Scopes that the caller must have, each by a `scope` of its own. Default: none.",
        schema: { type: "array", items: { type: "string" }, maxItems: 64 },
        example: ["plans:read"],
      },
      {
        name: "cost",
        in: "query",
        required: false,
        description: "As how many requests the call counts.",
        schema: { type: "integer", format: "int32", minimum: 1, maximum: 1000, default: 1 },
      },
      ...["OnBehalfOf", "RequestId"].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    responses: {
      "200": {
        description: "The request is admitted. Its caller is in headers, each of them empty if it does not apply.",
        headers: Object.fromEntries(
          [
            ...["X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Cache-Control"],
            ...Object.keys(CALLER_HEADERS),
          ].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
        ),
      },
      ...Object.fromEntries(
        Object.entries(errorRefs([])).filter(([status]) => OF_CONNECTIONS.includes(Number(status))),
      ),
      ...Object.fromEntries(
        own.map((fault) => [String(fault.status), { $ref: `#/components/responses/${nameOf(fault)}` }]),
      ),
    },
  };
}

function nameOf({ name }: Fault): string {
  return `Check${name}`;
}

/** It has no member but those of its query. */
function asked(fault: Fault): Fault {
  if (fault.status !== 400) return fault;
  return { ...fault, reason: "invalid_value", field: "scope", message: "scope: must have at most 64 values" };
}

function caller(description: string, schema: JsonObject = {}): JsonObject {
  return { description, required: true, schema: { type: "string", ...schema } };
}

function failure(description: string): JsonObject {
  return {
    description: `${description} With every error that the check decides.`,
    required: false,
    schema: { type: "string", pattern: "^[ -~]*$" },
  };
}
