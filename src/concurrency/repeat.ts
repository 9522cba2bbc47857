import { pause } from "./pause.ts";

export interface RepeatOptions {
  /** Ms between the end of a step and the next one. */
  readonly pollMs: number;
  /** Called with the error of a step; the next one follows as after any other. Without it, steps must not fail. */
  readonly onFault?: (err: unknown) => void;
  /** Whether the first step, too, comes after `pollMs`. Default: it begins at once. */
  readonly isDelayed?: boolean;
  /** Waits between steps. For tests; a timer by default. */
  readonly wait?: typeof pause;
}

export interface Repeated {
  /** Begins the next step now, or right after the one under way. */
  wake(): void;
  /** Begins no further step, and waits for the one under way. Idempotent. Never rejects. */
  stop(): Promise<void>;
}

/** Repeats a step until `stop`, one at a time. Its signal is aborted by `stop`, for steps of many pieces. */
export function repeat(
  step: (stopping: AbortSignal) => Promise<void>,
  { pollMs, onFault, isDelayed = false, wait = pause }: RepeatOptions,
): Repeated {
  const stopping = new AbortController();
  let woken = new AbortController();

  async function work(): Promise<void> {
    if (isDelayed) await wait(pollMs, woken.signal);
    while (!stopping.signal.aborted) {
      // Before the step, so that a wake during the step is not lost.
      if (woken.signal.aborted) woken = new AbortController();
      await step(stopping.signal).catch(onFault);
      await wait(pollMs, woken.signal);
    }
  }

  const working = work();
  return {
    wake: () => woken.abort(),
    async stop() {
      stopping.abort();
      woken.abort();
      await working;
    },
  };
}
