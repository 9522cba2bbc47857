/** Ms between two looks at the clock. */
const TICK_MS = 100;
/** Ms between two ticks with which the event loop was late: a third of the time that a connection to the database has. */
const LATE_MS = 1_000;

export interface LoopWatch {
  /** Whether the event loop was late since the watch began. */
  wasLate(): boolean;
  stop(): void;
}

/**
 * Watches the event loop of this process. One that was late fires its timers before it reads what has arrived meanwhile, and so
 * takes an answer for missing that was there in time.
 */
export function watchLoop(monotonicMs: () => number): LoopWatch {
  let tickedAt = monotonicMs();
  let longest = 0;
  const tick = (): void => {
    const now = monotonicMs();
    longest = Math.max(longest, now - tickedAt);
    tickedAt = now;
  };
  const timer = setInterval(tick, TICK_MS);
  return {
    wasLate() {
      tick();
      return longest >= LATE_MS;
    },
    stop: () => clearInterval(timer),
  };
}
