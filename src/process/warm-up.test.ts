import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { warmUp } from "./warm-up.ts";

test("does every piece in order, also after one that fails, which is reported, and none before its caller goes on", async () => {
  const done: string[] = [];
  const errors: unknown[] = [];
  const fault = new Error("broken");
  const pieces = [
    () => void done.push("a"),
    () => {
      throw fault;
    },
    () => Promise.reject(fault),
    async () => {
      await sleep(1);
      done.push("b");
    },
    () => void done.push("c"),
  ];
  const warming = warmUp(pieces, {
    signal: new AbortController().signal,
    onError: (err) => void errors.push(err),
  });
  expect(done).toEqual([]);
  await warming;
  expect(done).toEqual(["a", "b", "c"]);
  expect(errors).toEqual([fault, fault]);
});

test("begins no piece after the signal was aborted", async () => {
  const end = new AbortController();
  const done: string[] = [];
  const pieces = [
    () => {
      done.push("a");
      end.abort();
    },
    () => void done.push("b"),
  ];
  await warmUp(pieces, { signal: end.signal, onError: () => {} });
  expect(done).toEqual(["a"]);
});
