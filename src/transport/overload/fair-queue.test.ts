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

test("serves the oldest item in time, and the newest where the oldest is late", () => {
  const queue = new FairQueue<string>();
  for (const item of ["a1", "a2", "a3", "b1", "b2"]) queue.add(item.charAt(0), item);
  const isLate = (item: string) => item.startsWith("a");
  expect([1, 2, 3].map(() => queue.takeInTime(isLate, undefined))).toEqual(["a3", "b1", "a2"]);
  expect(takeAll(queue)).toEqual(["b2", "a1"]);
});

test("refuses the oldest item of the line whose turn it is, if it is late", () => {
  const queue = new FairQueue<string>();
  for (const item of ["a1", "a2", "a3", "b1", "c1"]) queue.add(item.charAt(0), item);
  const refused: string[] = [];
  const isLate = (item: string) => item === "a1" || item === "c1";
  const refuse = (item: string) => void refused.push(item);
  expect([1, 2, 3].map(() => queue.takeInTime(isLate, refuse))).toEqual(["a2", "b1", undefined]);
  expect([refused, queue.size, takeAll(queue)]).toEqual([["a1", "c1"], 1, ["a3"]]);
});

test("removes items wherever they wait, and flows without any; the order of the others stays", () => {
  const queue = new FairQueue<string>();
  for (const item of ["a1", "b1", "c1", "a2", "b2", "c2", "a3"]) queue.add(item.charAt(0), item);
  expect(queue.take()).toBe("a1");
  queue.remove((item) => item.startsWith("b") || item === "c1" || item === "a2");
  expect(queue.size).toBe(2);
  queue.add("b", "b3");
  expect(takeAll(queue)).toEqual(["c2", "a3", "b3"]);
});
