/** Wakes one sleeper before its time. */
export interface WakeablePause {
  /** Ends the rest that is under way; without one, nothing. */
  wake(): void;
  /** A rest that begins now: over after `ms`, or at the first wake. */
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
