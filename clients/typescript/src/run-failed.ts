/** A message was accepted, but there will be no reply to it. Sending it again starts another run. */
export class RunFailedError extends Error {
  override readonly name = "RunFailedError";
  /** `run_...`. */
  readonly runId: string;
  readonly conversationKey: string;
  /** Why, as the service says it; empty where a later message's run has taken its place in the answer. */
  readonly reason: string;

  constructor(runId: string, conversationKey: string, reason: string) {
    super(reason === "" ? `${runId} ended without a reply` : `${runId} failed: ${reason}`);
    this.runId = runId;
    this.conversationKey = conversationKey;
    this.reason = reason;
  }
}
