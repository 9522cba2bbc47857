import { Code, ConnectError } from "@connectrpc/connect";
import type { ErrorReasonName } from "../../../clients/typescript/src/error-reason.ts";
import { SessionEnded } from "../session/session.ts";
import { labelOf, sentenceOf } from "./sentences.ts";
import { ServiceError } from "./service-error.ts";

/** Why something did not work, for the person at the page. */
export interface Failure {
  /** One or two sentences. The service's own words, where the console has no plainer ones. */
  readonly message: string;
  /** For programs and for those who help. */
  readonly reason: ErrorReasonName | undefined;
  /** For the operator's log. */
  readonly requestId: string | undefined;
}

export function failureOf(err: unknown): Failure {
  const error = ConnectError.from(err);
  const { reason, field } = error instanceof ServiceError ? error : {};
  return {
    message: isAway(error)
      ? "The service cannot be reached."
      : (sentenceOf(reason) ?? serviceWords(error.rawMessage, field)),
    reason,
    requestId: error.metadata.get("x-request-id") ?? undefined,
  };
}

/** Whether only a new sign-in helps. */
export function endsSession(err: unknown): boolean {
  if (err instanceof SessionEnded) return true;
  const error = ConnectError.from(err);
  return error.code === Code.Unauthenticated || error.cause instanceof SessionEnded;
}

/** Whether the same call may succeed if it is made again: the service is busy, or its connection was refused or broke. */
export function isPassing(err: unknown): boolean {
  const error = ConnectError.from(err);
  return [Code.Unavailable, Code.DeadlineExceeded].includes(error.code) || isAway(error);
}

/** `fetch` rejects with a TypeError where there is no answer; each browser has words of its own for it. */
function isAway(error: ConnectError): boolean {
  return error.cause instanceof TypeError;
}

/** With a label of the page in place of the member's name in JSON: `name: is required` is `Name: is required`. */
function serviceWords(message: string, field: string | undefined): string {
  const prefix = `${field}: `;
  if (field === undefined || !message.startsWith(prefix)) return message;
  const label = labelOf(field);
  return label === undefined ? message : `${label}: ${message.slice(prefix.length)}`;
}
