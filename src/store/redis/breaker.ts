import { StoreUnavailable } from "../../domain/request-fault.ts";

/** Failures in a row after which nothing more is asked of Redis for a while. */
const FAILURES_MAX = 3;
/** Time between two probes while it is away. One caller waits for each of them, the others for none. */
const PROBE_MS = 250;

export interface Breaker {
  /** Runs a command, or fails at once while Redis is away. Passes on `StoreUnavailable`, the only failure it counts. */
  run<T>(command: () => Promise<T>): Promise<T>;
}

/**
 * Keeps a hanging Redis from costing every request its full time limit.
 *
 * `onChange` is called once for each change between up and away.
 */
export function createBreaker(ctx: {
  /** Milliseconds of a clock that never steps. */
  readonly monotonicMs: () => number;
  readonly onChange: (up: boolean, cause: unknown) => void;
}): Breaker {
  let failures = 0;
  let nextProbeMs = 0;

  function succeed(): void {
    if (failures >= FAILURES_MAX) ctx.onChange(true, undefined);
    failures = 0;
  }

  function fail(err: unknown): void {
    failures += 1;
    if (failures < FAILURES_MAX) return;
    nextProbeMs = ctx.monotonicMs() + PROBE_MS;
    if (failures === FAILURES_MAX) ctx.onChange(false, err);
  }

  return {
    async run(command) {
      if (failures >= FAILURES_MAX) {
        const nowMs = ctx.monotonicMs();
        if (nowMs < nextProbeMs) throw new StoreUnavailable("the breaker is open");
        // This caller probes; whoever comes meanwhile does not.
        nextProbeMs = nowMs + PROBE_MS;
      }
      try {
        const result = await command();
        succeed();
        return result;
      } catch (err) {
        if (err instanceof StoreUnavailable) fail(err);
        throw err;
      }
    },
  };
}
