import { pino } from "pino";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { StoreUnavailable } from "../domain/store-unavailable.ts";
import { createStorageWatch } from "./storage.ts";

const AWAY = new StoreUnavailable(new Error("no answer"));

function open(ping: () => Promise<void>) {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const watch = createStorageWatch(ping, log, new Registry());
  return { lines, fail: (err: unknown, what: string) => watch.failed(err, () => log.error(what)), close: watch.close };
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
