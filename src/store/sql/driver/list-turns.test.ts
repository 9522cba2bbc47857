// promise: lists.turns
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { StoreUnavailable } from "../../../domain/vocabulary/store-unavailable.ts";
import { TooManyLists } from "../../../domain/vocabulary/too-many-lists.ts";
import { createListTurns, type ListTurnsOptions, ofTenant } from "./list-turns.ts";

/** Lists that each run until they are ended by their name. `running` has the names of those that run, in the order of their begin. */
function start(options: ListTurnsOptions) {
  const turns = createListTurns(options);
  const open = new Map<string, () => void>();
  const outcomes = new Map<string, unknown>();
  return {
    turns,
    outcomes,
    running: () => [...open.keys()],
    list(tenantId: string, name: string): void {
      const work = () => new Promise<string>((resolve) => open.set(name, () => resolve(name)));
      turns.take(ofTenant(tenantId), work).then(
        (result) => outcomes.set(name, result),
        (err: unknown) => outcomes.set(name, err),
      );
    },
    async end(name: string): Promise<void> {
      open.get(name)?.();
      open.delete(name);
      await settle();
    },
  };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

/** Time passes, and after its timers the event loop has read the network. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  // The fake clock runs in its next millisecond what is to follow the timers.
  await vi.advanceTimersByTimeAsync(1);
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a tenant's lists run one after the other, in the order of the calls", async () => {
  const { list, end, running, outcomes, turns } = start({ atOnce: 2 });
  for (const name of ["a1", "a2", "a3"]) list("a", name);
  await settle();
  expect([running(), turns.waiting()]).toEqual([["a1"], 2]);
  await end("a1");
  expect(running()).toEqual(["a2"]);
  await end("a2");
  await end("a3");
  expect([...outcomes.values()]).toEqual(["a1", "a2", "a3"]);
  expect(turns.waiting()).toBe(0);
});

test("a tenant is served at once while another's fifty lists wait for each other", async () => {
  const { list, end, running } = start({ atOnce: 2 });
  for (let n = 0; n < 50; n++) list("greedy", `g${n}`);
  for (let n = 0; n < 20; n++) {
    list("polite", `p${n}`);
    await settle();
    expect(running()).toEqual(["g0", `p${n}`]);
    await end(`p${n}`);
  }
});

test("where all connections are busy, tenants take turns, however many lists each has", async () => {
  const { list, end, running } = start({ atOnce: 1 });
  for (let n = 0; n < 9; n++) list("a", `a${n}`);
  for (let n = 0; n < 2; n++) list("b", `b${n}`);
  list("c", "c0");
  await settle();
  const order: string[] = [];
  for (let [now] = running(); now !== undefined; [now] = running()) {
    order.push(now);
    await end(now);
  }
  expect(order.slice(0, 6)).toEqual(["a0", "b0", "c0", "a1", "b1", "a2"]);
  expect(order).toHaveLength(12);
});

test("no more run at once than there are connections, also where one ends as another is called", async () => {
  const { list, end, running } = start({ atOnce: 2 });
  for (const name of ["a", "b", "c", "d"]) list(name, name);
  await settle();
  expect(running()).toEqual(["a", "b"]);
  const ended = end("a");
  list("e", "e");
  await ended;
  expect(running()).toEqual(["b", "c"]);
});

test("a list that fails frees its place", async () => {
  const { turns, list, running } = start({ atOnce: 1 });
  const failed = turns.take(ofTenant("a"), () => Promise.reject(new Error("no")));
  list("a", "a1");
  await expect(failed).rejects.toThrow("no");
  await settle();
  expect(running()).toEqual(["a1"]);
});

describe("a tenant is refused", () => {
  test("at once if too many of its lists wait, and others are not", async () => {
    const { list, outcomes, running } = start({ atOnce: 2, waitingMax: 3, waitMs: 3_000 });
    for (let n = 0; n < 5; n++) list("a", `a${n}`);
    list("b", "b0");
    await settle();
    expect([...outcomes]).toEqual([["a4", expect.any(TooManyLists)]]);
    expect(outcomes.get("a4")).toMatchObject({ retryAfterMs: 3_000 });
    expect(running()).toEqual(["a0", "b0"]);
  });

  test("if its list waited too long for its own", async () => {
    const { list, end, outcomes, running, turns } = start({ atOnce: 2, waitMs: 3_000 });
    for (const name of ["a0", "a1", "a2", "a3"]) list("a", name);
    await vi.advanceTimersByTimeAsync(1_000);
    await end("a0");
    await vi.advanceTimersByTimeAsync(1_999);
    for (const name of ["a2", "a3"]) expect(outcomes.get(name)).toBeUndefined();
    await pass(1);
    for (const name of ["a2", "a3"]) expect(outcomes.get(name)).toBeInstanceOf(TooManyLists);
    expect(turns.waiting()).toBe(0);
    await end("a1");
    list("a", "a4");
    await settle();
    expect(running()).toEqual(["a4"]);
  });
});

test("a list of its own that does not end is an outage: the storage hangs", async () => {
  const { list, outcomes } = start({ atOnce: 2, waitMs: 3_000 });
  for (const name of ["a0", "a1", "a2"]) list("a", name);
  await pass(3_000);
  for (const name of ["a1", "a2"]) expect(outcomes.get(name)).toBeInstanceOf(StoreUnavailable);
});

test("a list that waited too long for those of others is an outage, which its tenant did not cause", async () => {
  const { list, end, outcomes, running } = start({ atOnce: 1, waitMs: 3_000 });
  list("a", "a0");
  list("b", "b0");
  await pass(3_000);
  expect(outcomes.get("b0")).toBeInstanceOf(StoreUnavailable);
  expect(outcomes.get("b0")).toMatchObject({ retryAfterMs: 3_000 });
  await end("a0");
  list("c", "c0");
  await settle();
  expect(running()).toEqual(["c0"]);
});

test("a list that a late event loop can start once it has read the network is not an outage", async () => {
  const { list, end, outcomes, running } = start({ atOnce: 1, waitMs: 3_000 });
  list("a", "a0");
  list("b", "b0");
  await vi.advanceTimersByTimeAsync(3_000);
  await end("a0");
  expect(running()).toEqual(["b0"]);
  await end("b0");
  expect(outcomes.get("b0")).toBe("b0");
});
