import { Code, ConnectError } from "@connectrpc/connect";
import { denialOf } from "../../../clients/typescript/src/denial.ts";
import { type ErrorReasonName, reasonOf } from "../../../clients/typescript/src/error-reason.ts";
import { SessionEnded } from "../session/session.ts";

/** Why something did not work, in the service's own words where it said something. */
export interface Failure {
  readonly message: string;
  readonly reason: ErrorReasonName | "unknown" | undefined;
  /** For the operator's log. */
  readonly requestId: string | undefined;
}

export function failureOf(err: unknown): Failure {
  const error = ConnectError.from(err);
  const { message = error.rawMessage } = denialOf(error) ?? {};
  const isAway = error.code === Code.Unavailable || (error.code === Code.Unknown && error.cause instanceof TypeError);
  return {
    message: isAway && message === "Failed to fetch" ? "The service cannot be reached. Try again." : message,
    reason: reasonOf(error),
    requestId: error.metadata.get("x-request-id") ?? undefined,
  };
}

/** Whether only a new sign-in helps. */
export function endsSession(err: unknown): boolean {
  if (err instanceof SessionEnded) return true;
  const error = ConnectError.from(err);
  return error.code === Code.Unauthenticated || error.cause instanceof SessionEnded;
}

/** Whether the same call may succeed if it is made again. */
export function isPassing(err: unknown): boolean {
  return [Code.Unavailable, Code.DeadlineExceeded].includes(ConnectError.from(err).code);
}
