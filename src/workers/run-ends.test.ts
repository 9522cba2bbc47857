import { expect, test } from "vitest";
import { createRunEnds } from "./run-ends.ts";

const LONG_MS = 60_000;

test("500 readers of a tenant wait at once, and other tenants' readers beside them", async () => {
  // Every run is unfinished.
  const conversations = { findUnfinished: async (threadIds: readonly string[]) => new Set(threadIds) };
  const ends = createRunEnds({ conversations, pollMs: LONG_MS, onError: (err) => expect.unreachable(String(err)) });
  const wait = (tenant: string) => ends.wait(tenant, "thr_1", LONG_MS, new AbortController().signal);
  const waits = Array.from({ length: 500 }, () => wait("ten_1"));
  expect(await wait("ten_1")).toBe(false);
  waits.push(wait("ten_2"));
  expect(ends.waiting).toBe(501);
  ends.announce("thr_1");
  expect(new Set(await Promise.all(waits))).toEqual(new Set([true]));
  expect(ends.waiting).toBe(0);
});
