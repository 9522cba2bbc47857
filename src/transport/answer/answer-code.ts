import { Code } from "@connectrpc/connect";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { codeFromString, endStreamFromJson } from "@connectrpc/connect/protocol-connect";
import { trailerParse } from "@connectrpc/connect/protocol-grpc-web";

const NAMES = {
  [Code.Canceled]: "canceled",
  [Code.Unknown]: "unknown",
  [Code.InvalidArgument]: "invalid_argument",
  [Code.DeadlineExceeded]: "deadline_exceeded",
  [Code.NotFound]: "not_found",
  [Code.AlreadyExists]: "already_exists",
  [Code.PermissionDenied]: "permission_denied",
  [Code.ResourceExhausted]: "resource_exhausted",
  [Code.FailedPrecondition]: "failed_precondition",
  [Code.Aborted]: "aborted",
  [Code.OutOfRange]: "out_of_range",
  [Code.Unimplemented]: "unimplemented",
  [Code.Internal]: "internal",
  [Code.Unavailable]: "unavailable",
  [Code.DataLoss]: "data_loss",
  [Code.Unauthenticated]: "unauthenticated",
} as const satisfies Record<Code, string>;

/** The result of an answer, with the same names over every protocol: `ok`, or the error code as Connect spells it. */
export type AnswerCode = "ok" | (typeof NAMES)[Code];

/** The result of a request. gRPC and gRPC-Web send errors with status 200, so only the code shows them. */
export interface Outcome {
  /** The HTTP status. */
  readonly status: number;
  readonly code: AnswerCode;
}

/** The bytes before the content of an envelope, in gRPC-Web and in a Connect stream: flags and length. */
const ENVELOPE_HEAD_BYTES = 5;

/** The name of an error code. `unknown` for any other number. */
function codeName(code: number | undefined): AnswerCode {
  return code !== undefined && isCode(code) ? NAMES[code] : "unknown";
}

/** The code in the JSON body of an error. */
export function codeInJson({ code }: { readonly code?: unknown }): AnswerCode {
  return codeName(typeof code === "string" ? codeFromString(code) : undefined);
}

/**
 * The code of a response from Connect's handler, read from where the response's protocol puts it. So the report matches what
 * was sent, whichever layer made the error.
 *
 * `last` is the last chunk of the body; a handler emits one chunk per envelope. Do not use it for an error of a unary call
 * in Connect's protocol, whose code is in its body.
 */
export function codeOfResponse(
  { header, trailer }: Pick<UniversalServerResponse, "header" | "trailer">,
  last: Uint8Array | undefined,
): AnswerCode {
  if (trailer !== undefined) return codeInTrailers(trailer);
  const type = header?.get("Content-Type") ?? "";
  const isGrpcWeb = type.startsWith("application/grpc-web");
  if (!isGrpcWeb && !type.startsWith("application/connect+")) return "ok";
  if (last === undefined) return "unknown";
  const content = last.subarray(ENVELOPE_HEAD_BYTES);
  if (isGrpcWeb) return codeInTrailers(trailerParse(content));
  const { error } = endStreamFromJson(content);
  return error === undefined ? "ok" : codeName(error.code);
}

function codeInTrailers(trailers: Headers): AnswerCode {
  const status = trailers.get("grpc-status");
  return status === "0" ? "ok" : codeName(Number(status));
}

function isCode(code: number): code is Code {
  return code in NAMES;
}
