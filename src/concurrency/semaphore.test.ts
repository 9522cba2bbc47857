import { expect, test } from "vitest";
import { Semaphore } from "./semaphore.ts";

test("a task that comes as another ends does not get ahead of one that waits", async () => {
  const semaphore = new Semaphore(2);
  const order: string[] = [];
  const enter = async (name: string) => {
    await semaphore.enter();
    order.push(name);
  };
  await Promise.all([enter("a"), enter("b")]);
  const waiting = enter("c");
  expect([semaphore.waiting, semaphore.isFree]).toEqual([1, false]);
  semaphore.leave();
  const late = enter("d");
  await waiting;
  semaphore.leave();
  await late;
  expect(order).toEqual(["a", "b", "c", "d"]);
  semaphore.leave();
  semaphore.leave();
  expect([semaphore.waiting, semaphore.isIdle]).toEqual([0, true]);
});

test("one that gives up loses its place and takes no slot; one that has its slot keeps it", async () => {
  const semaphore = new Semaphore(1);
  expect(semaphore.enter()).toBeUndefined();
  const [first, second] = [new AbortController(), new AbortController()];
  const [gaveUp, served] = [semaphore.enter(first.signal), semaphore.enter(second.signal)];
  first.abort(new Error("too late"));
  await expect(gaveUp).rejects.toThrow("too late");
  await expect(semaphore.enter(first.signal)).rejects.toThrow("too late");
  semaphore.leave();
  second.abort();
  await served;
  expect([semaphore.waiting, semaphore.isFree]).toEqual([0, false]);
});
