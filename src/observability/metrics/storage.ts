import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Gauge, type Registry } from "prom-client";
import { StoreUnavailable } from "../../domain/store-unavailable.ts";

/** How often a storage that is away is asked. */
const PROBE_MS = 1_000;

export interface StorageWatch {
  /** Takes what failed. `tell` logs it, and is called unless it failed because the storage is away, which is said once. */
  failed(err: unknown, tell: () => void): void;
  /**
   * Takes that usage could not be stored, the one write that is tried all the time: what has no room, or no right to write,
   * still answers. It is told once, as `failed` does, until `usageStored`.
   */
  usageFailed(err: unknown, tell: () => void): void;
  usageStored(): void;
  /** From now on whatever fails is told: what is lost when the process ends must not be passed over. */
  close(): void;
}

/**
 * Says once that the storage is away and once that it is back, however many fail meanwhile.
 *
 * A failure alone does not say so: a lock that was held too long, or a connection that broke, is told as it is. So the
 * storage is asked, first when something failed, then until it answers.
 */
export function createStorageWatch(ping: () => Promise<void>, log: Logger, metrics: Registry): StorageWatch {
  const up = new Gauge({
    name: "latchkey_postgres_up",
    help: "1 while PostgreSQL answers and usage can be stored, as far as this process needed it, 0 while not.",
    registers: [metrics],
  });
  up.set(1);
  const closing = new AbortController();
  let isAway = false;
  let isRefusing = false;
  /** Failed while the storage is being asked: it is not known yet what they mean. */
  let untold: (() => void)[] | undefined;

  function tellAll(): void {
    for (const tell of untold ?? []) tell();
    untold = undefined;
  }

  async function look(): Promise<void> {
    for (;;) {
      const problem = await ping().then(
        () => undefined,
        (err: unknown) => err,
      );
      if (closing.signal.aborted) return;
      if (problem === undefined) break;
      if (!isAway) leave(problem);
      await sleep(PROBE_MS, undefined, { signal: closing.signal }).catch(() => undefined);
    }
    if (isAway) comeBack();
    tellAll();
  }

  function leave(problem: unknown): void {
    isAway = true;
    untold = [];
    up.set(0);
    const err = problem instanceof StoreUnavailable ? problem.cause : problem;
    log.error({ err }, "PostgreSQL is away: what needs it fails until it is back");
  }

  function comeBack(): void {
    isAway = false;
    up.set(isRefusing ? 0 : 1);
    log.info("PostgreSQL is back");
  }

  function failed(err: unknown, tell: () => void): void {
    if (!(err instanceof StoreUnavailable) || closing.signal.aborted) tell();
    else if (isAway) return;
    else if (untold !== undefined) untold.push(tell);
    else {
      untold = [tell];
      void look();
    }
  }

  return {
    failed,
    usageFailed(err, tell) {
      failed(err, () => {
        if (isRefusing) return;
        isRefusing = true;
        up.set(0);
        tell();
      });
    },
    usageStored() {
      if (!isRefusing) return;
      isRefusing = false;
      if (!isAway) up.set(1);
      log.info("usage is stored again");
    },
    close() {
      closing.abort();
      tellAll();
    },
  };
}
