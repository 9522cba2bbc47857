import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { untilDeadline } from "./until-deadline.ts";

const forever = new Promise<never>(() => {});

test("work that ends before the deadline is returned, or its failure thrown", async () => {
  const { signal } = new AbortController();
  expect(await untilDeadline(Promise.resolve("done"), signal)).toBe("done");
  const later = new Promise<string>((resolve) => setImmediate(() => resolve("done")));
  expect(await untilDeadline(later, signal)).toBe("done");
  await expect(untilDeadline(Promise.reject(new Error("failed")), signal)).rejects.toThrow("failed");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a deadline that comes first, or is over already, ends the wait", async () => {
  const deadline = new AbortController();
  const waited = untilDeadline(forever, deadline.signal);
  expect(getEventListeners(deadline.signal, "abort")).toHaveLength(1);
  deadline.abort();
  expect(await waited).toBeUndefined();
  expect(await untilDeadline(forever, deadline.signal)).toBeUndefined();
  expect(getEventListeners(deadline.signal, "abort")).toEqual([]);
});
