import { withoutCredentials } from "./credential-pattern.ts";
import { ERROR_REASONS, type ErrorReason } from "./error-reason.ts";

const QUOTED_CHARS_MAX = 128;
/** At least the length of a key: a key that begins within the quoted part is recognized as a whole. */
const CREDENTIAL_CHARS = 60;

/** A fault in the request of an authorized caller. */
export type RequestFaultKind = "invalid_argument" | "not_found" | "failed_precondition" | "already_exists";

/** The reasons of such a request. All others are of the transport and of failures that are ours. */
export type RequestFaultReason = {
  [Reason in ErrorReason]: (typeof ERROR_REASONS)[Reason]["code"] extends RequestFaultKind ? Reason : never;
}[ErrorReason];

/**
 * A request that cannot be done as asked. `message` is public, names the field at fault and says what to do; `reason` and
 * `field` are for programs.
 */
export class RequestFault extends Error {
  override readonly name = "RequestFault";
  readonly reason: RequestFaultReason;
  readonly kind: RequestFaultKind;
  /** The JSON path of the member at fault, such as `permissions[2]`. Undefined: not a single member. */
  readonly field: string | undefined;

  constructor(reason: RequestFaultReason, message: string, field?: string) {
    super(message);
    this.reason = reason;
    this.kind = ERROR_REASONS[reason].code;
    this.field = field;
  }
}

/** The fault of one member, with which the message begins. `field` is its JSON path. */
export function faultOf(reason: RequestFaultReason, field: string, problem: string): RequestFault {
  return new RequestFault(reason, `${field}: ${problem}`, field);
}

/** The fault of a member whose value must be another one, where no reason says more. */
export function invalid(field: string, problem: string): RequestFault {
  return faultOf("invalid_value", field, problem);
}

/**
 * A caller's own text as part of a message: at most 128 characters, on one line of printable ASCII. Keys and tokens are
 * removed: people paste them anywhere, and messages are shown to users and kept in other people's logs.
 */
export function quotable(text: string): string {
  return withoutCredentials(text.slice(0, QUOTED_CHARS_MAX + CREDENTIAL_CHARS))
    .slice(0, QUOTED_CHARS_MAX)
    .replace(/[^\x20-\x7e]/g, "?");
}
