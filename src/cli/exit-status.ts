import { Code, ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { denialOf, isDenial } from "../../clients/typescript/src/denial.ts";
import { fieldOf, reasonOf } from "../../clients/typescript/src/error-reason.ts";

/** The exit statuses of the process. `docs/guides/command-line.md` and `latchkey --help` have the same list. */
export const EXIT_STATUS = {
  /** Done. */
  done: 0,
  /** A call was rejected or failed; `doctor`, an import or a comparison found a problem; `serve`, `edge` or `migrate` failed. */
  failed: 1,
  /** The command line, a file that it names or the credentials cannot be used. Nothing was sent. */
  usage: 2,
  /** The service could not be reached, or cannot serve the call now. The same command may succeed later. */
  unreachable: 3,
} as const;

/** What the caller of the command must change. The message names the option or the variable. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A failed command, as its exit status and the text for stderr. */
export interface Failure {
  readonly status: number;
  readonly text: string;
}

const AGAIN_LATER: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded]);

/**
 * What became of a command. The text has no secret: neither the service's messages nor the client's have one. With `isJson` an
 * error of the service is its members, for programs.
 */
export function failureOf(err: unknown, isJson = false): Failure {
  if (err instanceof UsageError) return { status: EXIT_STATUS.usage, text: err.message };
  if (!(err instanceof ConnectError)) {
    return { status: EXIT_STATUS.failed, text: err instanceof Error ? err.message : String(err) };
  }
  const denial = denialOf(err);
  const requestId = err.metadata.get("x-request-id");
  const details = [
    ...(denial === undefined ? [] : [`denial_reason ${denial.reason}`]),
    ...(requestId === null ? [] : [`request_id ${requestId}`]),
  ];
  const members = { code: codeToString(err.code), reason: reasonOf(err), field: fieldOf(err), message: err.rawMessage };
  const line = `${Code[err.code] ?? "Unknown"}: ${err.rawMessage}${details.length > 0 ? ` (${details.join(", ")})` : ""}`;
  const text = isJson ? JSON.stringify({ ...members, request_id: requestId ?? undefined }) : line;
  return { status: isForLater(err) ? EXIT_STATUS.unreachable : EXIT_STATUS.failed, text };
}

/** Whether the same call may succeed later. */
export function isForLater(err: unknown): boolean {
  const isAway = err instanceof ConnectError && AGAIN_LATER.has(err.code);
  return isAway || isDenial(err, "verifier_error") || isDenial(err, "rate_limited");
}
