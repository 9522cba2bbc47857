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
  /** Takes what failed. `tell` logs it, and is called unless it failed because the storage is away, which is logged once. */
  failed(err: unknown, tell: () => void): void;
  /**
   * Takes that usage could not be stored, the one write that is tried all the time: where a right to write is missing, say, the
   * storage still answers. It is logged once, as `failed` does, until `usageStored`.
   */
  usageFailed(err: unknown, tell: () => void): void;
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
  const told = { away: false, cannotWrite: false, refusesUsage: false };
  /** When it was last found away, or could not write. */
  let troubledMs = Number.NEGATIVE_INFINITY;
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
      this.set(isSteady() && !told.away && !told.cannotWrite && !told.refusesUsage ? 1 : 0);
    },
  });

  function isSteady(): boolean {
    return monotonicMs() - troubledMs >= STEADY_MS;
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
      if (problem === undefined) succeed();
      else if (isAbsence(problem.err)) leave(causeOf(problem.err));
      else refuse(causeOf(problem.err));
      for (const tell of asked) tell();
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

  function succeed(): void {
    isAway = false;
    if (!isSteady()) return;
    if (told.away) log.info("PostgreSQL is back");
    if (told.cannotWrite) log.info("PostgreSQL can write again");
    told.away = false;
    told.cannotWrite = false;
  }

  function leave(err: unknown): void {
    troubledMs = monotonicMs();
    isAway = true;
    asked = [];
    held = [];
    if (!told.away) log.error({ err }, "PostgreSQL is away: what needs it fails until it is back");
    told.away = true;
  }

  function refuse(err: unknown): void {
    troubledMs = monotonicMs();
    isAway = false;
    if (!told.cannotWrite) log.error({ err }, "PostgreSQL cannot write: what it is to store fails until it can");
    told.cannotWrite = true;
  }

  function failed(err: unknown, tell: () => void): void {
    if (!(err instanceof StoreUnavailable) || isClosed) {
      tell();
      return;
    }
    if (isAway) return;
    if (!isAbsence(err)) troubledMs = monotonicMs();
    if (held.length < HELD_MAX) held.push(tell);
    else tell();
    wake();
  }

  void watch();
  return {
    failed,
    usageFailed(err, tell) {
      failed(err, () => {
        if (!isAbsence(err)) troubledMs = monotonicMs();
        if (!told.refusesUsage) tell();
        told.refusesUsage = true;
      });
    },
    usageStored() {
      if (!told.refusesUsage || !isSteady()) return;
      told.refusesUsage = false;
      log.info("usage is stored again");
    },
    close() {
      isClosed = true;
      for (const tell of [...asked, ...held]) tell();
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
