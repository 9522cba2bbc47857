import { requestIdReused } from "../../src/domain/idempotency/idempotent-call.ts";
import { keyNotFound } from "../../src/domain/keys/read.ts";
import { DENIALS, type DenialReason } from "../../src/domain/vocabulary/denial.ts";
import { ERROR_REASONS, type ErrorReason } from "../../src/domain/vocabulary/error-reason.ts";
import { NAME_REQUIRED } from "../../src/domain/vocabulary/name.ts";
import { DEADLINE_PASSED } from "../../src/interceptors/deadline.ts";
import { TRANSPORT_FAULTS } from "../../src/transport/answer/envelope.ts";
import { CHALLENGE_FOR_SCOPE, RETRY_AFTER_RATE_LIMITED, RETRY_AFTER_VERIFIER_ERROR } from "./headers.ts";
import type { JsonObject } from "./json.ts";

/** One status of an error answer: when it comes and what its body holds. */
export interface Fault {
  readonly status: number;
  /** Name of its component, after the status' own name. */
  readonly name: string;
  readonly description: string;
  readonly codes: readonly string[];
  /** The reasons that are no denials. */
  readonly errorReasons: readonly ErrorReason[];
  /** The reasons of denial that it can carry. */
  readonly reasons: readonly DenialReason[];
  /** Whether every answer of this status is a denial. */
  readonly isDenial: boolean;
  /** A message as it is really sent, with its reason and the member at fault. */
  readonly message: string;
  readonly reason: ErrorReason | DenialReason;
  readonly field?: string | undefined;
  readonly headers: readonly string[];
  /** Those that are not as the component of their name says, by name. */
  readonly otherHeaders?: JsonObject;
}

const REQUEST_ID = "X-Request-Id";
const EVERY_CALL = [REQUEST_ID, "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

/** The errors that every RPC can answer, in the order of their status. */
export const COMMON_FAULTS: readonly Fault[] = [
  fault(400, "BadRequest", "The request cannot be done as asked; the message names the member at fault.", {
    codes: ["invalid_argument", "failed_precondition"],
    message: `name: ${NAME_REQUIRED}`,
    reason: "required",
    field: "name",
  }),
  denialFault(401, "Unauthorized", "The credentials were not accepted.", ["WWW-Authenticate"]),
  {
    ...denialFault(403, "Forbidden", "The credentials are in order, but do not allow this.", []),
    otherHeaders: { "WWW-Authenticate": CHALLENGE_FOR_SCOPE },
  },
  fault(405, "MethodNotAllowed", "Another method than POST.", {
    codes: ["unimplemented"],
    message: TRANSPORT_FAULTS.method_not_allowed.message,
    headers: ["Allow"],
  }),
  fault(408, "RequestTimeout", "The request did not arrive in time. The connection is closed.", {
    codes: ["deadline_exceeded"],
    message: TRANSPORT_FAULTS.request_timeout.message,
    headersOfAll: [REQUEST_ID],
  }),
  fault(413, "ContentTooLarge", "The body is larger than 1 MiB.", {
    codes: ["resource_exhausted"],
    message: TRANSPORT_FAULTS.body_too_large.message,
  }),
  fault(415, "UnsupportedMediaType", "The body is not declared as JSON in UTF-8, or it is compressed.", {
    codes: ["invalid_argument", "unimplemented"],
    message: TRANSPORT_FAULTS.unsupported_media_type.message,
    headers: ["Accept-Encoding"],
  }),
  fault(417, "ExpectationFailed", "The request expects what is not known here. The connection is closed.", {
    codes: ["unimplemented"],
    message: TRANSPORT_FAULTS.expectation_failed.message,
  }),
  {
    ...denialFault(
      429,
      "TooManyRequests",
      "The API key, its user or the dashboard user exceeded a rate limit, or, without a `denial_reason`, too many lists of the tenant wait for each other. A retry after `Retry-After` is admitted.",
      [],
    ),
    isDenial: false,
    otherHeaders: { "Retry-After": RETRY_AFTER_RATE_LIMITED },
  },
  fault(
    431,
    "RequestHeaderFieldsTooLarge",
    "The headers are larger than 16 KiB, or over HTTP/1.1 more than 128. The connection is closed.",
    {
      codes: ["resource_exhausted"],
      message: TRANSPORT_FAULTS.headers_too_large.message,
      headersOfAll: [REQUEST_ID],
    },
  ),
  {
    ...denialFault(500, "InternalServerError", "The fault is not the caller's: a retry may succeed.", []),
    isDenial: false,
    otherHeaders: { "Retry-After": RETRY_AFTER_VERIFIER_ERROR },
  },
  fault(503, "ServiceUnavailable", "The storage is unavailable; the outcome of a write is unknown. Retry.", {
    codes: ["unavailable"],
    message: "The storage is unavailable; retry.",
    headers: ["Retry-After"],
  }),
  fault(504, "GatewayTimeout", "The deadline that came with the call passed. It may have taken effect.", {
    codes: ["deadline_exceeded"],
    message: DEADLINE_PASSED,
  }),
  fault(505, "HttpVersionNotSupported", "The request line is not of HTTP/1.1 or 1.0. The connection is closed.", {
    codes: ["unimplemented"],
    message: TRANSPORT_FAULTS.http_version_not_supported.message,
  }),
];

/** The errors that only those RPCs answer which declare them by `latchkey.v1.statuses`. */
export const DECLARED_FAULTS: readonly Fault[] = [
  fault(404, "NotFound", "There is no such thing in the caller's tenant. Another tenant's is answered the same.", {
    codes: ["not_found"],
    message: keyNotFound().message,
    reason: "key_not_found",
    field: "key_id",
  }),
  fault(409, "Conflict", "The caller's own id was used for another call, or what is to be made is there already.", {
    codes: ["already_exists"],
    message: requestIdReused().message,
    reason: "client_request_id_reused",
    field: "client_request_id",
  }),
];

interface FaultExtras {
  readonly codes: readonly string[];
  readonly message: string;
  /** Default: the only one of the status. */
  readonly reason?: ErrorReason | DenialReason;
  readonly field?: string;
  /** Those that only this status has. */
  readonly headers?: readonly string[];
  readonly headersOfAll?: readonly string[];
}

function fault(status: number, name: string, description: string, extras: FaultExtras): Fault {
  const { codes, message, headers = [], headersOfAll = EVERY_CALL } = extras;
  const ofStatus = errorReasons().filter((reason) => ERROR_REASONS[reason].status === status);
  const reason = extras.reason ?? ofStatus[0];
  if (reason === undefined) throw new Error(`no reason has the status ${status}`);
  return {
    status,
    name,
    description,
    codes,
    message,
    reason,
    field: extras.field,
    errorReasons: ofStatus,
    reasons: [],
    isDenial: false,
    headers: [...headersOfAll, ...headers],
  };
}

function denialFault(status: number, name: string, description: string, headers: readonly string[]): Fault {
  const denials = reasons().filter((reason) => DENIALS[reason].status === status);
  const [first] = denials;
  if (first === undefined) throw new Error(`no denial has the status ${status}`);
  const codes = [...new Set(denials.map((reason) => DENIALS[reason].code))];
  const message = DENIALS[first].sentence;
  return {
    ...fault(status, name, description, { codes, message, reason: first, headers }),
    reasons: denials,
    isDenial: true,
  };
}

export function errorReasons(): ErrorReason[] {
  // Object.keys knows no literal types; the table's keys are the reasons by definition.
  return Object.keys(ERROR_REASONS) as ErrorReason[];
}

export function reasons(): DenialReason[] {
  // Object.keys knows no literal types; the table's keys are the reasons by definition.
  return Object.keys(DENIALS) as DenialReason[];
}
