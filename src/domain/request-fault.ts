import { withoutCredentials } from "./credential-pattern.ts";

const QUOTED_CHARS_MAX = 128;
/** At least the length of a key: a key that begins within the quoted part is recognized as a whole. */
const CREDENTIAL_CHARS = 60;

/** What is wrong with the request of an authorized caller. */
export type RequestFaultKind = "invalid_argument" | "not_found" | "failed_precondition";

/** A request that cannot be done as asked. `message` is public, names the field at fault and says what to do. */
export class RequestFault extends Error {
  override readonly name = "RequestFault";
  readonly kind: RequestFaultKind;

  constructor(kind: RequestFaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** A value the caller must change. `field` is the JSON path of the member at fault. */
export function invalid(field: string, problem: string): RequestFault {
  return new RequestFault("invalid_argument", `${field}: ${problem}`);
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
