import { fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { type ErrorInfo, ErrorInfoSchema } from "../../../gen/latchkey/v1/error_reason_pb.ts";
import type { LimitState } from "../../domain/limits/decision.ts";
import type { DENIALS } from "../../domain/vocabulary/denial.ts";
import { ERROR_REASONS, type ErrorReason } from "../../domain/vocabulary/error-reason.ts";
import { isJsonObject } from "../../domain/vocabulary/json-object.ts";
import type { Call } from "../../interceptors/call.ts";
import { errorInfo, reasonIn } from "../../interceptors/error-info.ts";
import { BODY_TOO_LARGE } from "../request/body.ts";
import { type AnswerCode, codeInJson, codeOfResponse, type Outcome } from "./answer-code.ts";
import type { PlainAnswer } from "./plain-answer.ts";
import { PlainHeaders } from "./plain-headers.ts";

/** A complete answer of Connect's handler, ready to be written. */
export interface Answer extends Outcome {
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly trailers: Headers | undefined;
}

/** Answers of the transport itself, to requests that no handler sees. */
export const TRANSPORT_FAULTS = {
  bad_request: fault("malformed_http", "The request is not valid HTTP/1.1."),
  needs_tls: fault("malformed_http", "This port speaks TLS; use https://."),
  needs_cleartext: fault("malformed_http", "This port speaks HTTP without TLS; use http://."),
  invalid_host: fault("invalid_header", "Host: must be there once, as a host or host:port."),
  invalid_connection: fault(
    "invalid_header",
    "Connection: must not name X-API-Key, Authorization, X-On-Behalf-Of or an X-Auth- header; a proxy would drop it.",
  ),
  invalid_transfer_encoding: fault("invalid_header", "Transfer-Encoding: must be chunked, or absent."),
  invalid_header_field: fault(
    "malformed_http",
    "A header field is not valid in HTTP/2: names are in lower case and without spaces, values neither begin nor end with a space and hold no control characters.",
  ),
  not_found: fault(
    "path_not_found",
    "No such path. Every operation is a POST to a path such as /api/v1/api-keys/create; GET /openapi.json has them all.",
  ),
  /** On the path of an RPC, with the code of Connect's own servers. */
  unknown_rpc: {
    ...fault("path_not_found", "No such RPC. GET /openapi.json has all operations."),
    code: "unimplemented",
  },
  method_not_allowed: fault("method_not_allowed", "Use POST: every operation is a POST with a JSON body."),
  only_get_allowed: fault("method_not_allowed", "Use GET: there is nothing here to call."),
  request_timeout: fault("request_timeout", "The request did not arrive in time; send it again."),
  body_too_large: fault("body_too_large", BODY_TOO_LARGE),
  expectation_failed: fault("expectation_failed", "Expect: must be 100-continue, or absent."),
  unsupported_media_type: fault(
    "unsupported_media_type",
    "Content-Type: must be application/json, or a Connect or gRPC type except gRPC-Web's text mode; the charset, if any, is utf-8.",
  ),
  unsupported_content_encoding: fault(
    "unsupported_content_encoding",
    "Content-Encoding: must be absent or identity; send the body uncompressed.",
  ),
  headers_too_large: fault("headers_too_large", "The request headers must be at most 16 KiB and 128 fields in all."),
  http_version_not_supported: fault(
    "http_version_not_supported",
    "The request line must end in HTTP/1.1 or HTTP/1.0; HTTP/2 has no such line.",
  ),
  needs_http2: fault("http_version_not_supported", "This operation streams in both directions, which needs HTTP/2."),
  overloaded: fault(
    "overloaded",
    "The service has more requests than it can serve; retry after the seconds in Retry-After.",
  ),
  too_many_connections: fault(
    "overloaded",
    "This address has too many open connections; keep fewer open, and use each for many requests.",
  ),
  internal: fault("internal", "Internal error; report it with the X-Request-Id of this answer."),
} as const;

/** Of a request that is refused because there are too many: clients add some time of their own. */
const RETRY_AFTER_SECONDS = "1";

export type TransportFault = keyof typeof TRANSPORT_FAULTS;

/** The answer to a fault of the transport. `specificMessage` replaces the fault's own message. */
export function faultAnswer(fault: TransportFault, specificMessage?: string): PlainAnswer {
  const { status, code, message } = TRANSPORT_FAULTS[fault];
  const headers = new PlainHeaders();
  headers.set("content-type", "application/json");
  if (fault === "method_not_allowed") headers.set("allow", "POST");
  if (fault === "only_get_allowed") headers.set("allow", "GET, HEAD");
  if (fault === "unsupported_content_encoding") headers.set("accept-encoding", "identity");
  if (fault === "overloaded" || fault === "too_many_connections") headers.set("retry-after", RETRY_AFTER_SECONDS);
  return { status, code, headers, body: faultText(TRANSPORT_FAULTS[fault], specificMessage ?? message) };
}

/** Converts a handler's response to a complete answer, with a body that may be empty. JSON errors get more members. */
export async function toAnswer(response: UniversalServerResponse, call: Call): Promise<Answer> {
  const headers = response.header ?? new Headers();
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) chunks.push(chunk);
  const body = joined(chunks);
  const isJsonError = response.status >= 400 && headers.get("Content-Type") === "application/json";
  if (!isJsonError) {
    const code = codeOfResponse(response, chunks.at(-1));
    return { status: response.status, code, headers, body, trailers: response.trailer };
  }
  const { text, ...outcome } = errorBody(response.status, parseObject(body), call);
  const merged = Buffer.from(text);
  headers.set("Content-Length", String(merged.byteLength));
  return { ...outcome, headers, body: merged, trailers: response.trailer };
}

/** The body of an error: a Connect error plus its reason, and two more members for a denial. Connect has no status for too large a body. */
export function errorBody(status: number, error: object, call: Call): Outcome & { readonly text: string } {
  if (call.isBodyTooLarge) {
    const { code, status: tooLarge } = TRANSPORT_FAULTS.body_too_large;
    // The error names the bound of the path.
    const message = "message" in error ? String(error.message) : BODY_TOO_LARGE;
    return { status: tooLarge, code, text: faultText(TRANSPORT_FAULTS.body_too_large, message) };
  }
  const code = codeInJson(error);
  const members = { code, ...reasonMembers(error, call), ...error, ...denialMembers(call) };
  return { status, code, text: JSON.stringify(members) };
}

/** Why a call failed, and the member of the request that is at fault. */
function reasonMembers(error: { readonly details?: unknown }, { denial }: Call): object {
  if (denial !== undefined)
    return { reason: denial.specific ?? denial.reason, ...(denial.field && { field: denial.field }) };
  const info = errorInfoIn(error.details);
  return info === undefined ? {} : { reason: reasonIn(info), ...(info.field && { field: info.field }) };
}

/** The typed detail among those of a Connect error in JSON. An error that Connect itself made has none. */
function errorInfoIn(details: unknown): ErrorInfo | undefined {
  const found: unknown = Array.isArray(details)
    ? details.find(({ type }) => type === ErrorInfoSchema.typeName)
    : undefined;
  return isJsonObject(found) ? fromBinary(ErrorInfoSchema, Buffer.from(String(found.value), "base64")) : undefined;
}

/** The members that a denial adds to a Connect error. */
function denialMembers({ denial, limit }: Call): object {
  if (denial === undefined) return {};
  const rateLimit = denial.reason === "rate_limited" && limit !== undefined ? { rate_limit: limitMember(limit) } : {};
  return { denial_reason: denial.reason satisfies keyof typeof DENIALS, ...rateLimit };
}

function limitMember({ limit, remaining, resetAt, scope }: LimitState): object {
  return { limit, remaining, reset_at: resetAt.toISOString().replace(".000Z", "Z"), ...(scope && { scope }) };
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

function parseObject(body: Uint8Array): object {
  const value: unknown = JSON.parse(Buffer.from(body).toString());
  return isJsonObject(value) ? value : {};
}

/** The body of an answer that no handler makes, in the form of those that Connect makes. */
function faultText(
  { code, reason }: { readonly code: AnswerCode; readonly reason: ErrorReason },
  message: string,
): string {
  const info = errorInfo(reason);
  const value = Buffer.from(toBinary(ErrorInfoSchema, info)).toString("base64").replaceAll("=", "");
  const details = [{ type: ErrorInfoSchema.typeName, value, debug: toJson(ErrorInfoSchema, info) }];
  return JSON.stringify({ code, reason, message, details });
}

function fault<Reason extends ErrorReason>(reason: Reason, message: string) {
  return { ...ERROR_REASONS[reason], reason, message };
}
