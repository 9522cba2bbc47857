import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type ErrorInfo,
  ErrorInfoSchema,
  ErrorReason as ErrorReasonProto,
} from "../../gen/latchkey/v1/error_reason_pb.ts";
import { ERROR_REASONS, type ErrorReason } from "../domain/vocabulary/error-reason.ts";
import type { RequestFault } from "../domain/vocabulary/request-fault.ts";

const CODES = {
  invalid_argument: Code.InvalidArgument,
  not_found: Code.NotFound,
  failed_precondition: Code.FailedPrecondition,
  already_exists: Code.AlreadyExists,
  permission_denied: Code.PermissionDenied,
  resource_exhausted: Code.ResourceExhausted,
  deadline_exceeded: Code.DeadlineExceeded,
  unimplemented: Code.Unimplemented,
  internal: Code.Internal,
  unavailable: Code.Unavailable,
} as const satisfies Record<(typeof ERROR_REASONS)[ErrorReason]["code"], Code>;

const REASONS: ReadonlyMap<ErrorReasonProto, ErrorReason> = new Map(
  // Object.keys knows no literal types; the table's keys are the reasons by definition.
  (Object.keys(ERROR_REASONS) as ErrorReason[]).map((reason) => [ErrorReasonProto[upperCase(reason)], reason]),
);

/** An error with its reason as a typed detail, which is sent over every protocol. JSON bodies get their members from it. */
export function errorOf(
  reason: ErrorReason,
  message: string,
  {
    field = "",
    metadata,
  }: { readonly field?: string | undefined; readonly metadata?: Readonly<Record<string, string>> } = {},
): ConnectError {
  const details = [{ desc: ErrorInfoSchema, value: errorInfo(reason, field) }];
  return new ConnectError(message, CODES[ERROR_REASONS[reason].code], metadata, details);
}

export function errorOfFault({ reason, message, field }: RequestFault): ConnectError {
  return errorOf(reason, message, { field });
}

export function errorInfo(reason: ErrorReason, field = ""): ErrorInfo {
  return create(ErrorInfoSchema, { reason: ErrorReasonProto[upperCase(reason)], ...(field !== "" && { field }) });
}

/** The reason by its name in JSON. Undefined: none that this version knows. */
export function reasonIn({ reason }: ErrorInfo): ErrorReason | undefined {
  return REASONS.get(reason);
}

export function upperCase<T extends string>(text: T): Uppercase<T> {
  // TypeScript does not infer the result of toUpperCase on a literal type.
  return text.toUpperCase() as Uppercase<T>;
}
