import { COMMON_FAULTS, DECLARED_FAULTS, errorReasons, type Fault, reasons } from "./faults.ts";
import type { JsonObject } from "./json.ts";

const RESET_AT = "2030-01-31T12:00:00Z";
const RATE_LIMIT_EXAMPLE = { limit: 60, remaining: 0, reset_at: RESET_AT };

/** The members that an error and a problem share. */
const FACTS = (text: "message" | "detail"): JsonObject => ({
  code: { type: "string", description: "Connect's code.", enum: allCodes() },
  reason: { $ref: "#/components/schemas/ErrorReason" },
  field: {
    type: "string",
    minLength: 1,
    description:
      "The member of the request at fault, as the request spells it: `rate_limit.burst_size`, `permissions[2]`. Absent where it is no single member.",
  },
  [text]: {
    type: "string",
    minLength: 1,
    description: "What is wrong and what to do, in one or two sentences.",
  },
  details: {
    type: "array",
    description: "The same facts as typed messages, for generated clients.",
    items: { $ref: "#/components/schemas/ErrorDetail" },
  },
  denial_reason: { $ref: "#/components/schemas/DenialReason" },
  rate_limit: { $ref: "#/components/schemas/DeniedRateLimit" },
});

/** The schemas of error bodies. They are not made from the proto: the envelope is Connect's, with two members more. */
export const ERROR_SCHEMAS: JsonObject = {
  Error: {
    type: "object",
    description:
      "Every error. `code` is Connect's code, `message` says what to do. Programs decide by `reason`, and never parse a message.",
    properties: FACTS("message"),
    required: ["code", "reason", "message"],
  },
  Problem: {
    type: "object",
    description:
      "The same error as a problem of RFC 9457, for a client that prefers `application/problem+json` to `application/json` in `Accept`.",
    properties: {
      type: {
        type: "string",
        format: "uri-reference",
        description: "The section of the page about errors that explains the reason.",
      },
      title: { type: "string", description: "The reason in words." },
      status: { type: "integer", format: "int32", description: "The HTTP status." },
      ...FACTS("detail"),
    },
    required: ["type", "status", "detail", "code", "reason"],
  },
  ErrorReason: {
    type: "string",
    description:
      "Why the call failed; of a denial, the same as `denial_reason`, or more than that. Later versions have more: treat one that you do not know by its `code`.",
    enum: [...errorReasons(), ...reasons()],
  },
  ErrorDetail: {
    type: "object",
    description: "A typed message.",
    properties: {
      type: {
        type: "string",
        description: "Its full name, `latchkey.v1.ErrorInfo`, or of a denial `latchkey.v1.Denial`.",
      },
      value: { type: "string", description: "The message in binary, as Base64 without padding." },
      debug: { type: "object", description: "The message as JSON, for people.", additionalProperties: true },
    },
    required: ["type", "value"],
  },
  DenialReason: {
    type: "string",
    description: "Why the caller was denied. Present for a denial.",
    enum: reasons(),
  },
  DeniedRateLimit: {
    type: "object",
    description: "A window of the limit that denied the request. Present if `denial_reason` is `rate_limited`.",
    properties: {
      limit: { type: "integer", format: "int32", description: "Maximum number of requests in the window." },
      remaining: { type: "integer", format: "int32", description: "0, whatever denied the request." },
      reset_at: {
        type: "string",
        format: "date-time",
        description: "The same instant as `X-RateLimit-Reset`, no sooner than a retry is admitted.",
      },
      scope: {
        type: "string",
        enum: ["user"],
        description: "`user`: the constraint is that of the request's user under the key. Absent: it is the key's own.",
      },
    },
    required: ["limit", "remaining", "reset_at"],
  },
};

/** One response component for each status that any RPC answers. */
export function errorResponses(declared: readonly number[]): JsonObject {
  const faults = [...COMMON_FAULTS, ...[...new Set(declared)].map(declaredFault)];
  return Object.fromEntries(faults.map((fault) => [fault.name, errorResponse(fault)]));
}

/** The error answers of one RPC, by status. */
export function errorRefs(declared: readonly number[]): JsonObject {
  const faults = [...COMMON_FAULTS, ...declared.map(declaredFault)].sort((a, b) => a.status - b.status);
  return Object.fromEntries(
    faults.map(({ status, name }) => [String(status), { $ref: `#/components/responses/${name}` }]),
  );
}

function declaredFault(status: number): Fault {
  const fault = DECLARED_FAULTS.find((candidate) => candidate.status === status);
  if (fault === undefined) throw new Error(`latchkey.v1.statuses declares ${status}, which is not described yet`);
  return fault;
}

/**
 * One error answer. The schema is a reference alone, and what holds for the status stands beside it: openapi-generator takes members beside a
 * reference for a mistake, and makes an empty type of the error.
 */
export function errorResponse(fault: Fault, moreHeaders: readonly string[] = []): JsonObject {
  const { codes, errorReasons: others, reasons: denials } = fault;
  const names = [...others, ...denials];
  return {
    description: `${fault.description}\n\nReasons: ${names.map((name) => `\`${name}\``).join(", ")}.`,
    headers: {
      ...Object.fromEntries(
        [...fault.headers, ...moreHeaders].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
      ),
      ...fault.otherHeaders,
    },
    content: {
      "application/json": { schema: { $ref: "#/components/schemas/Error" }, example: example(fault) },
      "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
    },
    "x-codes": codes,
    "x-reasons": names,
  };
}

function example({ codes, message, reason, field, isDenial, status }: Fault): JsonObject {
  const [code = ""] = codes;
  return {
    code,
    reason,
    ...(field !== undefined && { field }),
    message,
    ...(isDenial && { denial_reason: reason }),
    ...(status === 429 && { rate_limit: RATE_LIMIT_EXAMPLE }),
  };
}

function allCodes(): string[] {
  return [...new Set([...COMMON_FAULTS, ...DECLARED_FAULTS].flatMap(({ codes }) => codes))].sort();
}
