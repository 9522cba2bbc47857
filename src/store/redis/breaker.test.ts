import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import { type Breaker, type BreakerChange, createBreaker } from "./breaker.ts";

const PROBE_MS = 250;
const AWAY = new StoreUnavailable("no answer");
const BUG = new Error("WRONGTYPE");

type Outcome = "answer" | "away" | "bug";

/**
 * A circuit breaker with its own clock. Records the commands sent to Redis, and the changes that the breaker reports.
 */
class Bench {
  nowMs = 0;
  readonly sent: { readonly atMs: number; readonly settle: (outcome: Outcome) => void }[] = [];
  readonly changes: (BreakerChange & { readonly atMs: number })[] = [];
  readonly breaker: Breaker = createBreaker({
    monotonicMs: () => this.nowMs,
    // Each hash tag is the name of its node. An empty one stands for a cluster whose nodes are not known.
    nodeOf: (hashTag) => hashTag || undefined,
    onChange: (change) => void this.changes.push({ ...change, atMs: this.nowMs }),
  });

  /** Begins a command, which runs until the test settles it. Resolves with its result or its error. */
  begin(node = ""): Promise<unknown> {
    const result = this.breaker.run(
      node,
      () =>
        new Promise<string>((resolve, reject) => {
          const settle = (outcome: Outcome) => {
            if (outcome === "answer") resolve("answer");
            else reject(outcome === "away" ? AWAY : BUG);
          };
          this.sent.push({ atMs: this.nowMs, settle });
        }),
    );
    return result.catch((err: unknown) => err);
  }

  /** A command that is settled at once. */
  async run(outcome: Outcome, node = ""): Promise<unknown> {
    const sent = this.sent.length;
    const result = this.begin(node);
    this.sent[sent]?.settle(outcome);
    return result;
  }

  get isUp(): boolean {
    return this.changes.at(-1)?.allUp ?? true;
  }
}

async function away(node = ""): Promise<Bench> {
  const bench = new Bench();
  for (let n = 0; n < 3; n++) await bench.run("away", node);
  return bench;
}

const WENT = { node: undefined, isUp: false, allUp: false, cause: AWAY } as const;
const CAME_BACK = { node: undefined, isUp: true, allUp: true, cause: undefined } as const;

describe("a Redis that answers", () => {
  test("gets every command, however many fail, unless three fail in a row", async () => {
    const bench = new Bench();
    const outcomes: Outcome[] = ["away", "away", "answer", "away", "away", "answer"];
    for (const outcome of outcomes) await bench.run(outcome);
    expect(bench.sent).toHaveLength(6);
    expect(bench.changes).toEqual([]);
  });

  test("returns its results and the errors of bugs unchanged, and a bug is not an outage", async () => {
    const bench = new Bench();
    expect(await bench.run("answer")).toBe("answer");
    for (let n = 0; n < 10; n++) expect(await bench.run("bug")).toBe(BUG);
    expect(bench.changes).toEqual([]);
    expect(bench.sent).toHaveLength(11);
  });

  test("a command that throws before it is sent counts like one that fails", async () => {
    const bench = new Bench();
    for (let n = 0; n < 3; n++) {
      await expect(
        bench.breaker.run("", () => {
          throw AWAY;
        }),
      ).rejects.toBe(AWAY);
    }
    expect(bench.changes).toEqual([{ ...WENT, atMs: 0 }]);
  });
});

describe("a Redis that is away", () => {
  test("is reported once, at the third failure in a row, with the cause", async () => {
    const bench = await away();
    expect(bench.changes).toEqual([{ ...WENT, atMs: 0 }]);
    for (let n = 0; n < 20; n++) {
      bench.nowMs += PROBE_MS;
      await bench.run("away");
    }
    expect(bench.changes).toHaveLength(1);
  });

  test("gets no command for 250 ms, and callers fail at once", async () => {
    const bench = await away();
    for (const atMs of [0, 1, 249]) {
      bench.nowMs = atMs;
      expect(await bench.begin()).toBeInstanceOf(StoreUnavailable);
    }
    expect(bench.sent).toHaveLength(3);
  });

  test("is probed by one of many callers, also while the probe hangs, until the next probe is due", async () => {
    const bench = await away();
    bench.nowMs = PROBE_MS;
    const probe = bench.begin();
    const others = await Promise.all(Array.from({ length: 100 }, () => bench.begin()));
    expect(bench.sent).toHaveLength(4);
    for (const result of others) expect(result).toBeInstanceOf(StoreUnavailable);
    bench.nowMs = 2 * PROBE_MS - 1;
    expect(await bench.begin()).toBeInstanceOf(StoreUnavailable);
    bench.nowMs = 2 * PROBE_MS;
    void bench.begin();
    expect(bench.sent).toHaveLength(5);
    bench.sent[3]?.settle("answer");
    expect(await probe).toBe("answer");
  });

  test("is back with the first reply: that is reported once, and it gets every command again", async () => {
    const bench = await away();
    bench.nowMs = 1_000;
    expect(await bench.run("answer")).toBe("answer");
    expect(bench.changes.slice(1)).toEqual([{ ...CAME_BACK, atMs: 1_000 }]);
    await Promise.all(Array.from({ length: 10 }, () => bench.run("answer")));
    expect(bench.sent).toHaveLength(14);
    expect(bench.changes).toHaveLength(2);
  });

  test("and back, then away again, is reported each time, after three failures again", async () => {
    const bench = await away();
    bench.nowMs = PROBE_MS;
    await bench.run("answer");
    await bench.run("away");
    await bench.run("away");
    expect(bench.isUp).toBe(true);
    await bench.run("away");
    expect(bench.changes.map(({ isUp }) => isUp)).toEqual([false, true, false]);
  });

  test("with a hundred commands under way is reported once, and their late failures delay no report", async () => {
    const bench = new Bench();
    const callers = Array.from({ length: 100 }, () => bench.begin());
    bench.nowMs = 500;
    for (const { settle } of bench.sent) settle("away");
    await Promise.all(callers);
    expect(bench.changes).toEqual([{ ...WENT, atMs: 500 }]);
    bench.nowMs += PROBE_MS;
    await bench.run("answer");
    expect(bench.isUp).toBe(true);
  });
});

describe("a start without Redis", () => {
  test("is reported at once, and ends with the first reply", async () => {
    const bench = new Bench();
    bench.breaker.trip(AWAY);
    expect(bench.changes).toEqual([{ ...WENT, atMs: 0 }]);
    expect(await bench.begin()).toBeInstanceOf(StoreUnavailable);
    bench.nowMs = PROBE_MS;
    await bench.run("away");
    bench.nowMs = 2 * PROBE_MS;
    await bench.run("answer");
    expect(bench.changes.slice(1)).toEqual([{ ...CAME_BACK, atMs: 2 * PROBE_MS }]);
  });

  test("of a cluster ends with the reply of any node", async () => {
    const bench = new Bench();
    bench.breaker.trip(AWAY);
    await bench.run("answer", "a:1");
    expect(bench.changes.slice(1)).toEqual([{ ...CAME_BACK, atMs: 0 }]);
  });
});

describe("a node of a cluster that is away", () => {
  test("does not affect the callers of other nodes, and their replies do not mark it as up", async () => {
    const bench = await away("a:1");
    for (let n = 0; n < 100; n++) expect(await bench.run("answer", "b:1")).toBe("answer");
    expect(await bench.begin("a:1")).toBeInstanceOf(StoreUnavailable);
    expect(bench.changes).toEqual([{ ...WENT, node: "a:1", atMs: 0 }]);
  });

  test("is detected although other nodes reply between its failures", async () => {
    const bench = new Bench();
    for (let n = 0; n < 3; n++) {
      await bench.run("away", "a:1");
      await bench.run("answer", "b:1");
    }
    expect(bench.isUp).toBe(false);
  });

  test("is reported and probed on its own, and all nodes are up again when the last one is", async () => {
    const bench = await away("a:1");
    for (let n = 0; n < 3; n++) await bench.run("away", "b:1");
    bench.nowMs = PROBE_MS;
    await bench.run("answer", "a:1");
    await bench.run("answer", "b:1");
    expect(bench.changes.map(({ node, isUp, allUp }) => [node, isUp, allUp])).toEqual([
      ["a:1", false, false],
      ["b:1", false, false],
      ["a:1", true, false],
      ["b:1", true, true],
    ]);
  });

  test("is forgotten when its slots have moved and it got no command for a minute", async () => {
    const bench = await away("a:1");
    bench.nowMs = 60_000;
    await bench.run("answer", "b:1");
    expect(bench.isUp).toBe(false);
    bench.nowMs = 60_001;
    await bench.run("answer", "b:1");
    expect(bench.isUp).toBe(true);
  });

  test("is not forgotten while commands for it arrive, even if all fail at once", async () => {
    const bench = await away("a:1");
    for (bench.nowMs = 100; bench.nowMs < 200_000; bench.nowMs += 20_000) {
      void bench.begin("a:1");
      await bench.run("answer", "b:1");
    }
    expect(bench.isUp).toBe(false);
  });
});

describe("laws, for any order of callers, replies and pauses", () => {
  type Event =
    | { readonly kind: "begin"; readonly callers: number }
    | { readonly kind: "settle"; readonly which: number; readonly outcome: Outcome }
    | { readonly kind: "wait"; readonly ms: number };

  const outcome = fc.oneof(
    { weight: 5, arbitrary: fc.constant<Outcome>("away") },
    { weight: 1, arbitrary: fc.constantFrom<Outcome>("answer", "bug") },
  );
  const event: fc.Arbitrary<Event> = fc.oneof(
    fc.record({ kind: fc.constant("begin" as const), callers: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant("settle" as const), which: fc.nat(), outcome }),
    fc.record({ kind: fc.constant("wait" as const), ms: fc.oneof(fc.integer({ min: 1, max: 600 }), fc.constant(250)) }),
  );
  const events = fc.array(event, { minLength: 10, maxLength: 120 });

  test("changes alternate, probes are 250 ms apart, and no command fails at once while Redis is up", async () => {
    const property = fc.asyncProperty(events, async (run) => {
      const bench = new Bench();
      const open: Bench["sent"] = [];
      /** When Redis last got a command, or was detected as away, during this outage. */
      let lastMs = 0;
      for (const step of run) {
        if (step.kind === "wait") bench.nowMs += step.ms;
        if (step.kind === "settle" && open.length > 0) {
          const [one] = open.splice(step.which % open.length, 1);
          const wasUp = bench.isUp;
          one?.settle(step.outcome);
          await settled();
          if (wasUp && !bench.isUp) lastMs = bench.nowMs;
        }
        for (let n = 0; step.kind === "begin" && n < step.callers; n++) {
          const sent = bench.sent.length;
          const result = bench.begin();
          const begun = bench.sent.slice(sent);
          open.push(...begun);
          if (begun.length === 0) expect(await result).toBeInstanceOf(StoreUnavailable);
          if (bench.isUp) expect(begun).toHaveLength(1);
          if (bench.isUp || begun.length === 0) continue;
          expect(bench.nowMs - lastMs).toBeGreaterThanOrEqual(PROBE_MS);
          lastMs = bench.nowMs;
        }
      }
      expect(bench.changes.map(({ isUp }) => isUp)).toEqual(bench.changes.map((_, index) => index % 2 === 1));
    });
    await fc.assert(property, { numRuns: 500 });
  });

  test("in any case, Redis is probed within 250 ms after the last failure, and one reply ends the outage", async () => {
    const property = fc.asyncProperty(events, async (run) => {
      const bench = new Bench();
      for (const step of run) {
        if (step.kind === "wait") bench.nowMs += step.ms;
        if (step.kind === "settle") bench.sent[step.which % bench.sent.length]?.settle(step.outcome);
        if (step.kind === "begin") for (let n = 0; n < step.callers; n++) void bench.begin();
        await settled();
      }
      bench.nowMs += PROBE_MS;
      expect(await bench.run("answer")).toBe("answer");
      expect(bench.isUp).toBe(true);
    });
    await fc.assert(property, { numRuns: 500 });
  });
});

/** Runs all callbacks of settled promises. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
