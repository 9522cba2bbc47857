/** Wakes one sleeper before its time. */
export interface Bell {
  /** Ends the rest that is under way; without one, nothing. */
  ring(): void;
  /** A rest that begins now: over after `ms`, or at the first ring. */
  next(ms: number): Promise<void>;
}

export function createBell(): Bell {
  let wake: (() => void) | undefined;
  return {
    ring: () => wake?.(),
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
