/** Why the assistant gave no reply: a closed list, since what a provider says may hold secrets and other people's text. */
export type FailureReason = keyof typeof FAILURES;

/** For each reason: whether a retry may help, and the public sentence for the run's readers. */
export const FAILURES = {
  unavailable: failure(true, "The assistant is unavailable just now; send the message again later."),
  timed_out: failure(true, "The assistant did not answer in time; send the message again later."),
  overloaded: failure(true, "The assistant has too much to do just now; send the message again later."),
  internal: failure(true, "The message could not be answered because of an internal fault; send it again."),
  unreadable: failure(false, "The assistant's answer could not be read; tell the operator of this service."),
  empty: failure(false, "The assistant's reply was empty; change the message before you send it again."),
  tool_call: failure(false, "The assistant asked for a tool, which it does not have here; change the message."),
  refused: failure(false, "The assistant refused the message; change it before you send it again."),
  too_long: failure(false, "The conversation is too long for the assistant; start a new one."),
  reply_too_large: failure(false, "The assistant's reply was too large to be kept; ask for a shorter one."),
  misconfigured: failure(false, "The assistant is not set up correctly; tell the operator of this service."),
  interrupted: failure(false, "The work on the message was interrupted too often; send it again."),
} as const;

/** The assistant gave no reply. `message` is for our log only: facts about the answer, never its text. */
export class AssistantFailure extends Error {
  override readonly name = "AssistantFailure";
  readonly reason: FailureReason;
  /** Ms that the assistant asked to wait before a retry. 0: it did not ask. */
  readonly retryAfterMs: number;

  constructor(reason: FailureReason, message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}

function failure(passes: boolean, sentence: string) {
  return { passes, sentence };
}
