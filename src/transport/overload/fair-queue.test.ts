import { expect, test } from "vitest";
import { FairQueue } from "./fair-queue.ts";

function takeAll<Item>(queue: FairQueue<Item>): Item[] {
  const taken: Item[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

test("serves one item of each flow in turns, and each flow in its own order", () => {
  const queue = new FairQueue<string>();
  for (const item of ["a1", "a2", "a3", "b1", "b2", "c1"]) queue.add(item.charAt(0), item);
  expect(takeAll(queue)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("a flow that comes back waits behind those that were there before", () => {
  const queue = new FairQueue<string>();
  for (const item of ["a1", "b1", "b2"]) queue.add(item.charAt(0), item);
  expect(queue.take()).toBe("a1");
  queue.add("a", "a2");
  expect(takeAll(queue)).toEqual(["b1", "a2", "b2"]);
});

test("knows how many items it has", () => {
  const queue = new FairQueue<string>();
  expect(queue.size).toBe(0);
  queue.add("a", "a1");
  queue.add("a", "a2");
  queue.add("b", "b1");
  expect(queue.size).toBe(3);
  takeAll(queue);
  expect(queue.size).toBe(0);
  expect(queue.take()).toBeUndefined();
});

test("serves in turns for as long as its lines are never empty", () => {
  const queue = new FairQueue<{ readonly name: string }>();
  for (let n = 0; n < 5_000; n++) {
    queue.add("a", { name: `a${n}` });
    queue.add("b", { name: `b${n}` });
    if (n < 3) continue;
    expect([queue.take()?.name, queue.take()?.name]).toEqual([`a${n - 3}`, `b${n - 3}`]);
  }
  expect(takeAll(queue).map(({ name }) => name)).toEqual(["a4997", "b4997", "a4998", "b4998", "a4999", "b4999"]);
});

test("serves the oldest item that need not be dropped, and the newest where as many were dropped as may be", () => {
  const queue = new FairQueue<string>();
  for (const item of ["a1", "a2", "a3", "a4", "a5", "b1", "b2"]) queue.add(item.charAt(0), item);
  const seen: string[] = [];
  const drops = (item: string, isLast: boolean) => {
    seen.push(isLast ? `${item}, the last` : item);
    return ["a1", "a2", "a3", "b1"].includes(item);
  };
  expect([1, 2, 3].map(() => queue.takeInTime(drops, 2))).toEqual(["a5", "b2", "a4"]);
  expect(seen).toEqual(["a1", "a2", "b1", "b2, the last", "a3", "a4, the last"]);
  expect(queue.size).toBe(0);
});

test("a flow whose items were all dropped is away", () => {
  const queue = new FairQueue<string>();
  for (const item of ["a1", "a2"]) queue.add("a", item);
  expect([queue.takeInTime(() => true, 2), queue.size, queue.take()]).toEqual([undefined, 0, undefined]);
});
