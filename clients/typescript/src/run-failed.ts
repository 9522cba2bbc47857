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

  /** By its members: an app may load this package twice, as an ES module and as CommonJS. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "RunFailedError" && "runId" in value && "conversationKey" in value;
  }
}

/** Marks what failed after a message was accepted, which will be answered all the same. */
export function tellRun(err: unknown, runId: string): void {
  if (typeof err === "object" && err !== null && !("runId" in err))
    Reflect.defineProperty(err, "runId", { value: runId, enumerable: true });
}

/** The run of a message that `sendAndWait` sent before it failed; undefined if it is unknown whether it was sent. */
export function runIdOf(err: unknown): string | undefined {
  const runId = typeof err === "object" && err !== null && "runId" in err ? err.runId : undefined;
  return typeof runId === "string" ? runId : undefined;
}
