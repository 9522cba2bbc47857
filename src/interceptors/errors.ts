import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { DenialReason as DenialReasonProto, DenialSchema } from "../../gen/latchkey/v1/denial_pb.ts";
import { ErrorInfoSchema } from "../../gen/latchkey/v1/error_reason_pb.ts";
import type { LimitState } from "../domain/limits/decision.ts";
import { DENIALS, Denial, type DenialReason, errorPageOf } from "../domain/vocabulary/denial.ts";
import type { ReportError } from "../domain/vocabulary/report-error.ts";
import { RequestFault } from "../domain/vocabulary/request-fault.ts";
import { StoreUnavailable } from "../domain/vocabulary/store-unavailable.ts";
import { TooManyLists } from "../domain/vocabulary/too-many-lists.ts";
import { type Call, callOf } from "./call.ts";
import { errorInfo, errorOf, errorOfFault, upperCase } from "./error-info.ts";

/** Logs the cause of an error, if it has one that the answer does not contain. */
export type ErrorReporter = (err: unknown, call: Pick<Call, "requestId">) => void;

/** Reports an error, converts it to one that is safe to send, and records on the call why its caller was denied. */
export type ErrorTranslator = (err: unknown, call: Call) => ConnectError;

const DENIAL_CODES = {
  unauthenticated: Code.Unauthenticated,
  permission_denied: Code.PermissionDenied,
  resource_exhausted: Code.ResourceExhausted,
  internal: Code.Internal,
} as const;

/** `failed` decides whether a failure is logged, by calling `log` or not: of an outage, only the first failure is logged. */
export function createErrorReporter(
  reportError: ReportError,
  failed: (err: unknown, log: () => void) => void = (_, log) => log(),
): ErrorReporter {
  return (err, { requestId: request_id }) => {
    if (err instanceof Denial) {
      const { cause } = err;
      if (cause !== undefined)
        failed(cause, () => reportError("credentials could not be checked", cause, { request_id }));
    } else if (err instanceof StoreUnavailable) {
      failed(err, () => reportError("the storage is unavailable", err.cause, { request_id }));
    } else if (!(err instanceof RequestFault || err instanceof TooManyLists || err instanceof ConnectError)) {
      reportError("unforeseen error", err, { request_id });
    }
  };
}

/** `docsUrl`: begins the address of the page about a reason. Empty: on the port that answers. */
export function createErrorTranslator(report: ErrorReporter, docsUrl = ""): ErrorTranslator {
  return (err, call) => {
    report(err, call);
    if (err instanceof Denial) {
      call.denial = err;
      return denialError(err, call, docsUrl);
    }
    if (err instanceof RequestFault) return errorOfFault(err);
    if (err instanceof StoreUnavailable)
      return errorOf("storage_unavailable", err.message, { metadata: retryAfter(err.retryAfterMs) });
    if (err instanceof TooManyLists)
      return errorOf("too_many_lists", err.message, { metadata: retryAfter(err.retryAfterMs) });
    if (err instanceof ConnectError) return err;
    return errorOf("internal", `Internal error; report it with the request id ${call.requestId}.`);
  };
}

/** The outermost interceptor: every error leaves it as a `ConnectError` made here. */
export function createErrorInterceptor(translate: ErrorTranslator): Interceptor {
  return (next) => async (req) => {
    try {
      return await next(req);
    } catch (err) {
      throw translate(err, callOf(req.contextValues));
    }
  };
}

/** A denial with its facts as a typed detail, so that generated clients can read them over every protocol. */
function denialError(denial: Denial, call: Call, docsUrl: string): ConnectError {
  const state = denial.reason === "rate_limited" ? call.limit : undefined;
  const value = create(DenialSchema, {
    reason: reasonToProto(denial.reason),
    ...(state && { rateLimit: toLimitState(state) }),
    ...(denial.field && { field: denial.field }),
  });
  const code = DENIAL_CODES[DENIALS[denial.reason].code];
  const metadata = denial.reason === "verifier_error" ? retryAfter(denial.retryAfterMs) : undefined;
  const { specific } = denial;
  const message = `${denial.message} See ${errorPageOf(specific ?? denial.reason, docsUrl)}`;
  return new ConnectError(message, code, metadata, [
    { desc: DenialSchema, value },
    ...(specific === undefined ? [] : [{ desc: ErrorInfoSchema, value: errorInfo(specific, denial.field) }]),
  ]);
}

function toLimitState({ limit, remaining, resetAt, scope }: LimitState) {
  return { limit, remaining, resetAt: timestampFromDate(resetAt), ...(scope && { scope }) };
}

/**
 * When a retry can succeed: whole seconds, at least 1. It is part of the error and not of the call, so that no other answer
 * to the call has it.
 */
function retryAfter(ms: number): { readonly "Retry-After": string } {
  return { "Retry-After": String(Math.max(1, Math.ceil(ms / 1_000))) };
}

function reasonToProto(reason: DenialReason): DenialReasonProto {
  const name: Uppercase<DenialReason> = upperCase(reason);
  return DenialReasonProto[name];
}
