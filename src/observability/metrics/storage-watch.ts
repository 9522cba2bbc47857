import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Gauge, type Registry } from "prom-client";
import { codeOf } from "../../domain/vocabulary/error-code.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import { watchLoop } from "./late-loop.ts";

const PROBE_MS = 1_000;
/** Part of the interval for which the storage is not asked again, however many requests fail. */
const PAUSE_SHARE = 0.1;
/** Failures that wait for the result of a probe. Further ones are logged at once. */
const HELD_MAX = 1_000;
/**
 * Time without failures after which a state has ended. A nearly full disk accepts one write and refuses the next, and a
 * server without room for its own log restarts again and again.
 */
const STEADY_MS = 5_000;

/** SQLSTATEs of a server that answers but cannot write: its disk is full, or broken. */
const CANNOT_WRITE: ReadonlySet<string> = new Set(["53100", "58030"]);

export interface StorageWatch {
  /** Call it for each failure. `report` logs it, and is not called while the storage is away, which is logged once. */
  failed(err: unknown, report: () => void): void;
  /**
   * Call it if usage could not be stored. Usage is the only constant write: without the right to write, for example, the
   * storage still answers probes. The failure is logged once, as by `failed`, until `usageStored`.
   */
  usageFailed(err: unknown, report: () => void): void;
  usageStored(): void;
  /** From now on every failure is logged, so that losses at the end of the process are visible. */
  close(): void;
}

export interface StorageWatchContext {
  /** Rejects with `StoreUnavailable` if the storage does not answer, and with any error if it answers but cannot write. */
  readonly probe: () => Promise<void>;
  readonly log: Logger;
  readonly metrics: Registry;
  /** Milliseconds of a monotonic clock. */
  readonly monotonicMs?: () => number;
  /** Interval of the probe. Default: a second. */
  readonly probeMs?: number | undefined;
}

/**
 * Probes the storage every second, and at once after a failure: does it answer, and can it write? Logs each state once when
 * it begins and once when it has ended for `STEADY_MS`, however many requests fail meanwhile.
 *
 * A single failure does not mean that the storage is away: a lock that was held too long, or a broken connection, is logged
 * as such. Failures are held until the probe has a result.
 */
export function createStorageWatch(ctx: StorageWatchContext): StorageWatch {
  const { probe, log, metrics, monotonicMs = () => performance.now(), probeMs = PROBE_MS } = ctx;
  const pauseMs = probeMs * PAUSE_SHARE;
  /** The result of the last probe. While true, failures are not logged. */
  let isAway = false;
  /** The state that the log and the metric show. */
  const logged = { away: false, cannotWrite: false, refusesUsage: false };
  /** When the storage last was away or could not write. */
  let lastProblemMs = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  /** `asked`: failures that wait for the probe under way. `held`: failures since it began. */
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
      const problem = await problemOf();
      if (isClosed) return;
      if (problem === undefined) noteSuccess();
      else if (isAbsence(problem.err)) noteAbsence(causeOf(problem.err));
      else noteWriteFailure(causeOf(problem.err));
      for (const report of asked) report();
      asked = [];
      await sleep(pauseMs);
      if (held.length === 0 && !isClosed) await nextFailure();
    }
  }

  /** Undefined: no problem. A storage that seems away to a process that was late itself is probed again. */
  async function problemOf(): Promise<{ readonly err: unknown } | undefined> {
    const loop = watchLoop(monotonicMs);
    const problem = await probed();
    const isDoubtful = problem !== undefined && isAbsence(problem.err) && loop.wasLate();
    loop.stop();
    return isDoubtful ? probed() : problem;
  }

  function probed(): Promise<{ readonly err: unknown } | undefined> {
    return probe().then(
      () => undefined,
      (err: unknown) => ({ err }),
    );
  }

  /** Waits for a failure, at most for the rest of the interval. */
  function nextFailure(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, probeMs - pauseMs);
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

/** Whether the storage does not answer, as opposed to a server that cannot write. */
function isAbsence(err: unknown): boolean {
  return err instanceof StoreUnavailable && !CANNOT_WRITE.has(codeOf(err.cause) ?? "");
}

function causeOf(err: unknown): unknown {
  return err instanceof StoreUnavailable ? err.cause : err;
}
