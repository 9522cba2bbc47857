// promise: edges.no-stale
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Follower, ToEdge } from "../../domain/edges/following.ts";
import { createFollowers, type Followers } from "./followers.ts";
import { createRecordCache, type RecordCache } from "./record-cache.ts";

const LEASE_MS = 2_700;
const MARGIN_MS = 200;
const SILENT_MS = 10_000;
const HELD_MAX = 60_000;

interface Edge extends Follower {
  readonly received: ToEdge[];
  readonly isEnded: boolean;
  /** Acknowledges all that it has received. */
  acknowledgeAll(): void;
}

let cache: RecordCache;
let followers: Followers;
let leaseLeftMs: number;
let settlements: number;

beforeEach(() => {
  vi.useFakeTimers();
  cache = createRecordCache();
  leaseLeftMs = LEASE_MS;
  settlements = 0;
  const onSettled = () => {
    settlements += 1;
  };
  followers = createFollowers(cache, { leaseLeftMs: () => leaseLeftMs, onSettled });
});
afterEach(() => vi.useRealTimers());

/** An edge with a lease that holds these subjects. */
function follow(...subjects: readonly string[]): Edge {
  const received: ToEdge[] = [];
  let isEnded = false;
  const follower = followers.follow(
    (message) => void received.push(message),
    () => {
      isEnded = true;
    },
  );
  follower.grant();
  for (const subject of subjects) expect(followers.hold(follower.edgeId, subject)).toBe(true);
  return {
    ...follower,
    received,
    get isEnded() {
      return isEnded;
    },
    acknowledgeAll: () => follower.acknowledge(received.at(-1)?.number ?? 0),
  };
}

const dropped = ({ received }: Edge) =>
  received.flatMap((message) => (message.kind === "drop" ? message.subjects : ["all"]));
const areSettled = () => followers.settled() === followers.sent;
const pass = (ms: number) => vi.advanceTimersByTime(ms);

describe("what is dropped", () => {
  test.each(["drop", "mark"] as const)("by a %s is sent once, only to the edges that hold it", (verb) => {
    const [one, other] = [follow("a", "b"), follow("b")];
    for (let n = 0; n < 2; n++) followers.cache[verb]("a", `${n}`);
    expect([dropped(one), dropped(other)]).toEqual([["a"], []]);
    followers.hold(one.edgeId, "c");
    followers.cache[verb]("b", "2");
    expect([dropped(one), dropped(other)]).toEqual([["a", "b"], ["b"]]);
  });

  test("is gone from this process' cache before an edge can ask for it again", () => {
    const order: string[] = [];
    const own = { ...cache, drop: () => void order.push("own"), clear: () => void order.push("own") };
    const some = createFollowers(own, { leaseLeftMs: () => LEASE_MS });
    const { edgeId } = some.follow(
      ({ kind }) => void order.push(kind),
      () => {},
    );
    some.hold(edgeId, "a");
    some.cache.drop("a");
    some.cache.clear();
    expect(order).toEqual(["own", "drop", "own", "drop_all"]);
  });

  test("by a clear is all of each edge", () => {
    const edges = [follow("a"), follow()];
    followers.cache.clear();
    expect(edges.map(dropped)).toEqual([["all"], ["all"]]);
    followers.cache.drop("a");
    expect(edges.map(dropped)).toEqual([["all"], ["all"]]);
  });

  test("is sent again where the edge holds it again", () => {
    const edge = follow("a");
    followers.cache.drop("a");
    followers.hold(edge.edgeId, "a");
    followers.cache.drop("a");
    expect(dropped(edge)).toEqual(["a", "a"]);
  });

  test("is more than an edge may hold: it begins again", () => {
    const edge = follow();
    for (let n = 0; n < HELD_MAX; n++) followers.hold(edge.edgeId, `${n}`);
    expect(dropped(edge)).toEqual([]);
    expect(followers.hold(edge.edgeId, "one more")).toBe(true);
    expect(dropped(edge)).toEqual(["all"]);
    followers.cache.drop("0");
    followers.cache.drop("one more");
    expect(dropped(edge)).toEqual(["all", "one more"]);
  });
});

describe("an edge may not keep a record", () => {
  test("that is being changed, although its read ends after the change", () => {
    const { edgeId } = follow();
    followers.cache.mark("a", "1");
    expect(followers.hold(edgeId, "a")).toBe(false);
    followers.cache.unmark("a", "1");
    expect(followers.hold(edgeId, "a")).toBe(true);
  });

  test("if it does not follow, or no longer", () => {
    expect(followers.hold("another", "a")).toBe(false);
    const edge = follow();
    edge.leave();
    expect(followers.hold(edge.edgeId, "a")).toBe(false);
  });
});

describe("a change waits for an edge", () => {
  test("until it acknowledges", () => {
    const edge = follow("a");
    followers.cache.drop("a");
    expect(areSettled()).toBe(false);
    edge.acknowledgeAll();
    expect(areSettled()).toBe(true);
    expect(settlements).toBe(1);
  });

  test("until the lease ends that it had before, to the millisecond", () => {
    const edge = follow("a");
    pass(1_000);
    edge.grant();
    followers.cache.drop("a");
    pass(LEASE_MS - 1);
    expect(areSettled()).toBe(false);
    pass(1);
    expect(areSettled()).toBe(true);
  });

  test("and not for the leases that reach it after the message, although it acknowledges nothing", () => {
    const edge = follow("a");
    followers.cache.drop("a");
    for (let ms = 0; ms < LEASE_MS; ms += 100) {
      expect(areSettled()).toBe(false);
      pass(100);
      edge.grant();
    }
    expect(areSettled()).toBe(true);
  });

  test("for each message as long as the lease lasts that was granted before it", () => {
    const edge = follow("a", "b");
    followers.cache.drop("a");
    pass(1_000);
    edge.grant();
    followers.cache.drop("b");
    pass(LEASE_MS - 1_000);
    expect(followers.sent - followers.settled()).toBe(1);
    pass(1_000);
    expect(areSettled()).toBe(true);
  });

  test("that has left, until its lease has ended: it may still use what it has", () => {
    const edge = follow("a");
    edge.leave();
    followers.cache.drop("a");
    expect(dropped(edge)).toEqual([]);
    edge.acknowledge(followers.sent);
    pass(LEASE_MS - 1);
    expect({ settled: areSettled(), count: followers.count }).toEqual({ settled: false, count: 1 });
    pass(1);
    expect({ settled: areSettled(), count: followers.count }).toEqual({ settled: true, count: 0 });
  });

  test("that acknowledges what it will be sent only later", () => {
    const edge = follow("a", "b");
    edge.acknowledge(1_000_000);
    followers.cache.drop("a");
    expect(areSettled()).toBe(false);
    edge.acknowledge(1_000_000);
    followers.cache.drop("b");
    edge.acknowledge(Number.NaN);
    edge.acknowledge(-1);
    expect(areSettled()).toBe(false);
  });

  test("and not for one that never had a lease", () => {
    leaseLeftMs = 0;
    follow("a");
    followers.cache.drop("a");
    expect(areSettled()).toBe(true);
  });

  test("the slowest of several, and reports each step", () => {
    const edges = [follow("a", "b"), follow("b")];
    followers.cache.drop("a");
    followers.cache.drop("b");
    edges[1]?.acknowledgeAll();
    expect(settlements).toBe(0);
    edges[0]?.acknowledge(1);
    expect({ settled: followers.settled(), settlements }).toEqual({ settled: 1, settlements: 1 });
    edges[0]?.acknowledgeAll();
    expect({ settled: areSettled(), settlements }).toEqual({ settled: true, settlements: 2 });
  });
});

describe("a wait until all is settled", () => {
  async function isResolved(promise: Promise<void>): Promise<boolean> {
    let isDone = false;
    void promise.then(() => {
      isDone = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    return isDone;
  }

  test("ends with the acknowledgement, and not for what was sent later", async () => {
    const edge = follow("a", "b");
    followers.cache.drop("a");
    const waiting = followers.untilSettled();
    expect(await isResolved(waiting)).toBe(false);
    followers.cache.drop("b");
    edge.acknowledge(1);
    expect(await isResolved(waiting)).toBe(true);
    expect(areSettled()).toBe(false);
  });

  test("ends when the last lease has ended, without looking again and again", async () => {
    const [, early] = [follow("a"), follow("a")];
    pass(1_000);
    early.grant();
    followers.cache.drop("a");
    const waiting = followers.untilSettled();
    await vi.advanceTimersByTimeAsync(LEASE_MS - 1_000);
    expect(await isResolved(waiting)).toBe(false);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(999);
    expect(await isResolved(waiting)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await isResolved(waiting)).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("ends at once without edges", async () => {
    followers.cache.drop("a");
    expect(await isResolved(followers.untilSettled())).toBe(true);
  });
});

describe("a lease of an edge", () => {
  test("is what is left of this process', less the margin for two clocks, which is waited for", () => {
    const edge = follow("a");
    leaseLeftMs = 1_234.9;
    expect(edge.grant()).toBe(1_234 - MARGIN_MS);
    leaseLeftMs = MARGIN_MS;
    expect(edge.grant()).toBe(0);
    leaseLeftMs = 0;
    expect(edge.grant()).toBe(0);
  });

  test("that is shorter does not end an earlier one", () => {
    const edge = follow("a");
    leaseLeftMs = 500;
    edge.grant();
    followers.cache.drop("a");
    pass(LEASE_MS - 1);
    expect(areSettled()).toBe(false);
  });

  test("is not granted to one that has left", () => {
    const edge = follow();
    edge.leave();
    expect(edge.grant()).toBe(0);
  });
});

describe("an edge that is silent", () => {
  test("is disconnected after ten seconds, although it asks for leases, and is waited for until they end", () => {
    const edge = follow("a", "b");
    followers.cache.drop("a");
    for (let ms = 0; ms < SILENT_MS; ms += 1_000) {
      followers.settled();
      expect(edge.isEnded).toBe(false);
      expect(edge.grant()).toBe(LEASE_MS - MARGIN_MS);
      pass(1_000);
    }
    followers.settled();
    expect({ isEnded: edge.isEnded, granted: edge.grant() }).toEqual({ isEnded: true, granted: 0 });
    followers.cache.drop("b");
    expect(areSettled()).toBe(false);
    pass(LEASE_MS - 1_000);
    expect(areSettled()).toBe(true);
    expect(followers.count).toBe(0);
  });

  test("is not one that acknowledges late, but acknowledges", () => {
    const edge = follow("0");
    for (let n = 0; n < 20; n++) {
      followers.cache.drop(`${n}`);
      followers.hold(edge.edgeId, `${n + 1}`);
      pass(SILENT_MS / 2);
      edge.acknowledge(n);
      followers.settled();
    }
    expect(edge.isEnded).toBe(false);
  });

  test("is not one that was sent nothing", () => {
    const edge = follow("a");
    pass(10 * SILENT_MS);
    followers.settled();
    expect(edge.isEnded).toBe(false);
  });
});

describe("closing", () => {
  test("has all edges drop what they have, grants no lease and lets them keep nothing, and waits for them", async () => {
    const [one, other] = [follow("a"), follow("b")];
    let isClosed = false;
    const closing = followers.close().then(() => {
      isClosed = true;
    });
    expect([dropped(one), dropped(other)]).toEqual([["all"], ["all"]]);
    expect([one.grant(), follow().grant()]).toEqual([0, 0]);
    one.acknowledgeAll();
    expect(followers.hold(one.edgeId, "a")).toBe(false);
    await vi.advanceTimersByTimeAsync(LEASE_MS - 1);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isClosed).toBe(true);
    await closing;
    expect({ ends: [one.isEnded, other.isEnded], count: followers.count }).toEqual({ ends: [true, true], count: 0 });
  });
});
