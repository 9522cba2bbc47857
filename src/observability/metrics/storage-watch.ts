import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Gauge, type Registry } from "prom-client";
import { codeOf } from "../../domain/error-code.ts";
import { StoreUnavailable } from "../../domain/store-unavailable.ts";

/** How often the storage is asked. */
const PROBE_MS = 1_000;
/** Between two questions at least, however much fails. */
const PROBE_PAUSE_MS = 100;
/** Failures that wait for an answer. More are logged without it. */
const HELD_MAX = 1_000;
/**
 * How long nothing of the kind may happen before a state has ended. A disk that is nearly full takes one write and refuses the
 * next, and a server that has no room for its own log starts again and again.
 */
const STEADY_MS = 5_000;

/** SQLSTATEs of a server that answers but cannot write: its disk is full, or broken. */
const CANNOT_WRITE: ReadonlySet<string> = new Set(["53100", "58030"]);

export interface StorageWatch {
  /** Takes what failed. `report` logs it, and is called unless it failed because the storage is away, which is logged once. */
  failed(err: unknown, report: () => void): void;
  /**
   * Takes that usage could not be stored, the one write that is tried all the time: where a right to write is missing, say, the
   * storage still answers. It is logged once, as `failed` does, until `usageStored`.
   */
  usageFailed(err: unknown, report: () => void): void;
  usageStored(): void;
  /** From now on whatever fails is logged: what is lost when the process ends must not be passed over. */
  close(): void;
}

export interface StorageWatchContext {
  /** Rejects with `StoreUnavailable` if the storage does not answer, and with any error if it answers but cannot write. */
  readonly probe: () => Promise<void>;
  readonly log: Logger;
  readonly metrics: Registry;
  /** Milliseconds of a clock that never steps. */
  readonly monotonicMs?: () => number;
}

/**
 * Asks the storage every second whether it answers and can write, and at once when something failed. Logs each state once, and
 * its end once it has lasted, however many fail meanwhile.
 *
 * A failure alone does not say that the storage is away: a lock that was held too long, or a connection that broke, is logged as
 * it is. Failures are held until the answer is there.
 */
export function createStorageWatch(ctx: StorageWatchContext): StorageWatch {
  const { probe, log, metrics, monotonicMs = () => performance.now() } = ctx;
  /** By the last answer. What fails meanwhile is not logged. */
  let isAway = false;
  /** As the log has it, and the metric. */
  const logged = { away: false, cannotWrite: false, refusesUsage: false };
  /** When it was last found away, or could not write. */
  let lastProblemMs = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  /** Failures that wait for the answer under way, and those that came after it was asked for. */
  let asked: (() => void)[] = [];
  let held: (() => void)[] = [];
  let wake = (): void => {};
  new Gauge({
    name: "latchkey_postgres_up",
    help: "0 while PostgreSQL does not answer, cannot write, or refuses usage, and until it has done none of this for 5 s; else 1.",
    registers: [metrics],
    collect() {
      this.set(isSteady() && !logged.away && !logged.cannotWrite && !logged.refusesUsage ? 1 : 0);
    },
  });

  function isSteady(): boolean {
    return monotonicMs() - lastProblemMs >= STEADY_MS;
  }

  async function watch(): Promise<void> {
    while (!isClosed) {
      asked = held;
      held = [];
      const problem = await probe().then(
        () => undefined,
        (err: unknown) => ({ err }),
      );
      if (isClosed) return;
      if (problem === undefined) noteSuccess();
      else if (isAbsence(problem.err)) noteAbsence(causeOf(problem.err));
      else noteWriteFailure(causeOf(problem.err));
      for (const report of asked) report();
      asked = [];
      await sleep(PROBE_PAUSE_MS);
      if (held.length === 0 && !isClosed) await nextFailure();
    }
  }

  /** For the rest of a second at most. */
  function nextFailure(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PROBE_MS - PROBE_PAUSE_MS);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  function noteSuccess(): void {
    isAway = false;
    if (!isSteady()) return;
    if (logged.away) log.info("PostgreSQL is back");
    if (logged.cannotWrite) log.info("PostgreSQL can write again");
    logged.away = false;
    logged.cannotWrite = false;
  }

  function noteAbsence(err: unknown): void {
    lastProblemMs = monotonicMs();
    isAway = true;
    asked = [];
    held = [];
    if (!logged.away) log.error({ err }, "PostgreSQL is away: what needs it fails until it is back");
    logged.away = true;
  }

  function noteWriteFailure(err: unknown): void {
    lastProblemMs = monotonicMs();
    isAway = false;
    if (!logged.cannotWrite) log.error({ err }, "PostgreSQL cannot write: what it is to store fails until it can");
    logged.cannotWrite = true;
  }

  function failed(err: unknown, report: () => void): void {
    if (!(err instanceof StoreUnavailable) || isClosed) {
      report();
      return;
    }
    if (isAway) return;
    if (!isAbsence(err)) lastProblemMs = monotonicMs();
    if (held.length < HELD_MAX) held.push(report);
    else report();
    wake();
  }

  void watch();
  return {
    failed,
    usageFailed(err, report) {
      failed(err, () => {
        if (!isAbsence(err)) lastProblemMs = monotonicMs();
        if (!logged.refusesUsage) report();
        logged.refusesUsage = true;
      });
    },
    usageStored() {
      if (!logged.refusesUsage || !isSteady()) return;
      logged.refusesUsage = false;
      log.info("usage is stored again");
    },
    close() {
      isClosed = true;
      for (const report of [...asked, ...held]) report();
      wake();
    },
  };
}

/** Whether it says that nobody answers, and not that a server cannot write. */
function isAbsence(err: unknown): boolean {
  return err instanceof StoreUnavailable && !CANNOT_WRITE.has(codeOf(err.cause) ?? "");
}

function causeOf(err: unknown): unknown {
  return err instanceof StoreUnavailable ? err.cause : err;
}
