import { createWakeablePause } from "./wakeable-pause.ts";

const PASS_MS = 60_000;

export interface RefreshLoopContext {
  /** Reads again what other replicas may have changed. */
  readonly refresh: () => Promise<void>;
  /** Called with each failure. It is tried again in the next pass. */
  readonly onFault: (err: unknown) => void;
  /** Ms between two passes, and before the first one. Default 60,000. */
  readonly passMs?: number | undefined;
}

export interface RefreshLoop {
  /** Begins no further pass, and waits for the one under way. Idempotent. Never rejects. */
  close(): Promise<void>;
}

/** The worker that keeps what a replica has read up to date. */
export function startRefreshLoop({ refresh, onFault, passMs = PASS_MS }: RefreshLoopContext): RefreshLoop {
  const pause = createWakeablePause();
  let isClosed = false;

  async function work(): Promise<void> {
    while (!isClosed) {
      await pause.next(passMs);
      if (!isClosed) await refresh().catch(onFault);
    }
  }

  const working = work();
  return {
    async close() {
      isClosed = true;
      pause.wake();
      await working;
    },
  };
}
