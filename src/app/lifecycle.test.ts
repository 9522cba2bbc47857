import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { createLifecycle, type Ending } from "./lifecycle.ts";

/** A deadline that no test reaches. */
const NEVER_MS = 60_000;

let ended: string[];

beforeEach(() => {
  ended = [];
});

const ends = (name: string) => () => void ended.push(name);
const never = () => new Promise<never>(() => {});

describe("the end of a process", () => {
  test("is first of what works, then of what was counted, and then of what is open, the last opened first", async () => {
    const life = createLifecycle(NEVER_MS);
    life.onClose(ends("database"));
    life.onIdle(ends("log"));
    life.onClose(ends("Redis"));
    life.onIdle(ends("usage"));
    life.onStop(ends("runs"));
    life.onStop(ends("ports"));
    await life.close();
    expect(ended).toEqual(["runs", "ports", "log", "usage", "Redis", "database"]);
  });

  test("waits for all that works before what was counted is stored", async () => {
    const life = createLifecycle(NEVER_MS);
    const request = Promise.withResolvers<void>();
    life.onIdle(ends("usage"));
    life.onStop(() => request.promise);
    life.onStop(ends("runs"));
    const closing = life.close();
    await sleep(0);
    expect(ended).toEqual(["runs"]);
    request.resolve();
    await closing;
    expect(ended).toEqual(["runs", "usage"]);
  });

  test("has what works end at the same time, and what was counted, too", async () => {
    const life = createLifecycle(NEVER_MS);
    for (const add of [life.onStop, life.onIdle]) {
      const other = Promise.withResolvers<void>();
      add(() => other.promise);
      add(() => other.resolve());
    }
    await life.close();
  });

  test("closes one thing before the one that was opened ahead of it", async () => {
    const life = createLifecycle(NEVER_MS);
    const hints = Promise.withResolvers<void>();
    life.onClose(ends("database"));
    life.onClose(() => hints.promise);
    const closing = life.close();
    await sleep(0);
    expect(ended).toEqual([]);
    hints.resolve();
    await closing;
    expect(ended).toEqual(["database"]);
  });

  test("is announced before anything ends", async () => {
    const life = createLifecycle(NEVER_MS);
    expect(life.stopping.aborted).toBe(false);
    let wasAnnounced = false;
    life.onStop(() => (wasAnnounced = life.stopping.aborted));
    await life.close();
    expect(wasAnnounced).toBe(true);
  });

  test("comes once, however often it is asked for", async () => {
    const life = createLifecycle(NEVER_MS);
    life.onClose(ends("database"));
    await Promise.all([life.close(), life.close()]);
    await life.close();
    expect(ended).toEqual(["database"]);
  });
});

describe("a part that fails to end", () => {
  test.each(["onStop", "onIdle", "onClose"] as const)("leaves all others to end, as of %s", async (when) => {
    const life = createLifecycle(NEVER_MS);
    const failing: Ending = () => {
      throw new Error("it cannot be closed");
    };
    life.onStop(ends("ports"));
    life.onIdle(ends("usage"));
    life.onClose(ends("database"));
    life[when](failing);
    life.onClose(ends("Redis"));
    await expect(life.close()).rejects.toThrow("it cannot be closed");
    expect(ended).toEqual(["ports", "usage", "Redis", "database"]);
  });

  test("is reported with all others that fail", async () => {
    const life = createLifecycle(NEVER_MS);
    const errors = [new Error("first"), new Error("second")];
    life.onStop(() => Promise.reject(errors[0]));
    life.onClose(() => Promise.reject(errors[1]));
    await expect(life.close()).rejects.toMatchObject({ errors });
  });
});

describe("a part that does not end", () => {
  test("is waited for until the deadline, and all others end", async () => {
    const life = createLifecycle(20);
    life.onClose(ends("database"));
    life.onClose(never);
    life.onIdle(never);
    life.onIdle(ends("usage"));
    life.onStop(never);
    life.onStop(ends("runs"));
    await life.close();
    expect(ended).toEqual(["runs", "usage", "database"]);
  });

  test("may report at the deadline what is lost, before anything else ends", async () => {
    const life = createLifecycle(20);
    life.onClose(ends("closed"));
    life.onIdle(async (deadline) => {
      while (!deadline.aborted) await new Promise((resolve) => deadline.addEventListener("abort", resolve));
      for (let step = 0; step < 20; step++) await undefined;
      ended.push("reported");
    });
    await life.close();
    expect(ended).toEqual(["reported", "closed"]);
  });
});
