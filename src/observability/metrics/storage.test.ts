import { pino } from "pino";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { StoreUnavailable } from "../../domain/store-unavailable.ts";
import { createStorageWatch } from "./storage.ts";

const AWAY = new StoreUnavailable(new Error("no answer"));

function open(ping: () => Promise<void>) {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const metrics = new Registry();
  const watch = createStorageWatch(ping, log, metrics);
  return {
    ...watch,
    lines,
    fail: (err: unknown, what: string) => watch.failed(err, () => log.error(what)),
    failUsage: (err: unknown) => watch.usageFailed(err, () => log.error("usage cannot be stored")),
    gauge: async () => (await metrics.getSingleMetric("latchkey_postgres_up")?.get())?.values[0]?.value,
  };
}

test("what failed although the storage answers is told, each as it is", async () => {
  const { lines, fail } = open(async () => {});
  fail(AWAY, "a lock was held too long");
  fail(AWAY, "another one, too");
  fail(new Error("bad SQL"), "a mistake of ours");
  await expect.poll(() => lines.length).toBe(3);
  expect(lines).toEqual(["a mistake of ours", "a lock was held too long", "another one, too"]);
});

test("what fails while the process ends is told, and also what was not told yet", () => {
  const { lines, fail, close } = open(() => new Promise(() => {}));
  fail(AWAY, "usage could not be stored");
  close();
  fail(AWAY, "nor at the end");
  expect(lines).toEqual(["usage could not be stored", "nor at the end"]);
});

test.each([
  ["no room", new StoreUnavailable(new Error("disk full"))],
  ["no right", new Error("permission denied")],
])(
  "a storage that answers and has %s for writes is told once, by line and metric, until usage is stored",
  async (_, err) => {
    const { lines, failUsage, usageStored, gauge } = open(async () => {});
    usageStored();
    expect(await gauge()).toBe(1);
    for (let n = 0; n < 5; n++) {
      failUsage(err);
      await expect.poll(gauge).toBe(0);
    }
    expect(lines).toEqual(["usage cannot be stored"]);
    usageStored();
    expect(await gauge()).toBe(1);
    expect(lines).toEqual(["usage cannot be stored", "usage is stored again"]);
  },
);

test("a storage that comes back and takes no writes is not up before usage is stored", async () => {
  let isAway = false;
  const { lines, fail, failUsage, usageStored, gauge } = open(async () => {
    if (isAway) throw AWAY;
  });
  failUsage(new Error("permission denied"));
  isAway = true;
  fail(AWAY, "a request");
  await expect.poll(() => lines.length).toBe(2);
  isAway = false;
  await expect.poll(() => lines.length, { timeout: 5_000 }).toBe(3);
  expect(await gauge()).toBe(0);
  usageStored();
  expect(await gauge()).toBe(1);
});
