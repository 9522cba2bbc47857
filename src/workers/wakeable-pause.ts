/** A pause that can be ended early. */
export interface WakeablePause {
  /** Ends the current pause, if any. */
  wake(): void;
  /** Begins a pause. Resolves after `ms`, or at the first `wake`. */
  next(ms: number): Promise<void>;
}

export function createWakeablePause(): WakeablePause {
  let wake: (() => void) | undefined;
  return {
    wake: () => wake?.(),
    next: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}
