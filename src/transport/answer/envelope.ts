import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import type { DENIALS } from "../../domain/denial.ts";
import { isJsonObject } from "../../domain/json-object.ts";
import type { LimitState } from "../../domain/limits/decision.ts";
import type { Call } from "../../interceptors/call.ts";
import { BODY_TOO_LARGE } from "../request/body.ts";
import { type AnswerCode, codeInJson, codeOfResponse, type Outcome } from "./answer-code.ts";

/** A complete answer, ready to be written. */
export interface Answer extends Outcome {
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly trailers: Headers | undefined;
}

/** Answers of the transport itself, to requests that no handler sees. */
export const TRANSPORT_FAULTS = {
  bad_request: { status: 400, code: "invalid_argument", message: "The request is not valid HTTP/1.1." },
  needs_tls: { status: 400, code: "invalid_argument", message: "This port speaks TLS; use https://." },
  invalid_host: {
    status: 400,
    code: "invalid_argument",
    message: "Host: must be there once, as a host or host:port.",
  },
  invalid_connection: {
    status: 400,
    code: "invalid_argument",
    message:
      "Connection: must not name X-API-Key, Authorization, X-On-Behalf-Of or an X-Auth- header; a proxy would drop it.",
  },
  invalid_transfer_encoding: {
    status: 400,
    code: "invalid_argument",
    message: "Transfer-Encoding: must be chunked, or absent.",
  },
  invalid_header_field: {
    status: 400,
    code: "invalid_argument",
    message:
      "A header field is not valid in HTTP/2: names are in lower case and without spaces, values neither begin nor end with a space and hold no control characters.",
  },
  not_found: {
    status: 404,
    code: "not_found",
    message:
      "No such path. Every operation is a POST to a path such as /api/v1/api-keys/create; GET /openapi.json has them all.",
  },
  method_not_allowed: {
    status: 405,
    code: "unimplemented",
    message: "Use POST: every operation is a POST with a JSON body.",
  },
  only_get_allowed: {
    status: 405,
    code: "unimplemented",
    message: "Use GET: there is nothing here to call.",
  },
  request_timeout: {
    status: 408,
    code: "deadline_exceeded",
    message: "The request did not arrive in time; send it again.",
  },
  body_too_large: {
    status: 413,
    code: "resource_exhausted",
    message: BODY_TOO_LARGE,
  },
  expectation_failed: {
    status: 417,
    code: "unimplemented",
    message: "Expect: must be 100-continue, or absent.",
  },
  unsupported_media_type: {
    status: 415,
    code: "invalid_argument",
    message:
      "Content-Type: must be application/json, or a Connect or gRPC type, but for gRPC-Web's text mode; the charset, if any, is utf-8.",
  },
  unsupported_content_encoding: {
    status: 415,
    code: "unimplemented",
    message: "Content-Encoding: must be absent or identity; send the body uncompressed.",
  },
  headers_too_large: {
    status: 431,
    code: "resource_exhausted",
    message: "The request headers must be at most 16 KiB and 128 fields in all.",
  },
  http_version_not_supported: {
    status: 505,
    code: "unimplemented",
    message: "The request line must end in HTTP/1.1 or HTTP/1.0; HTTP/2 has no such line.",
  },
  needs_http2: {
    status: 505,
    code: "unimplemented",
    message: "This operation streams in both directions, which needs HTTP/2.",
  },
  internal: {
    status: 500,
    code: "internal",
    message: "Internal error; report it with the X-Request-Id of this answer.",
  },
} as const satisfies Record<string, { status: number; code: AnswerCode; message: string }>;

export type TransportFault = keyof typeof TRANSPORT_FAULTS;

/** The answer to a fault of the transport. `specificMessage` replaces the fault's own message. */
export function faultAnswer(fault: TransportFault, specificMessage?: string): Answer {
  const { status, code, message } = TRANSPORT_FAULTS[fault];
  const headers = new Headers({ "Content-Type": "application/json" });
  if (fault === "method_not_allowed") headers.set("Allow", "POST");
  if (fault === "only_get_allowed") headers.set("Allow", "GET, HEAD");
  if (fault === "unsupported_content_encoding") headers.set("Accept-Encoding", "identity");
  return { status, code, headers, body: toBytes({ code, message: specificMessage ?? message }), trailers: undefined };
}

/** Converts a handler's response to a complete answer, with a body that may be empty. JSON errors get two more members. */
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

/** The body of an error: a Connect error plus two members for a denial. Connect has no status for too large a body. */
export function errorBody(status: number, error: object, call: Call): Outcome & { readonly text: string } {
  if (call.isBodyTooLarge) {
    const { code, message, status: tooLarge } = TRANSPORT_FAULTS.body_too_large;
    return { status: tooLarge, code, text: JSON.stringify({ code, message }) };
  }
  return { status, code: codeInJson(error), text: JSON.stringify({ ...error, ...denialMembers(call) }) };
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

function toBytes(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
