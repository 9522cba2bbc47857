import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StoreUnavailable } from "../../domain/store-unavailable.ts";
import { type Breaker, type BreakerChange, createBreaker } from "./breaker.ts";

const PROBE_MS = 250;
const AWAY = new StoreUnavailable("no answer");
const BUG = new Error("WRONGTYPE");

type Outcome = "answer" | "away" | "bug";

/** A breaker on a clock of its own, with everything that is asked of Redis and every change it reports. */
class Bench {
  nowMs = 0;
  readonly asked: { readonly atMs: number; readonly settle: (outcome: Outcome) => void }[] = [];
  readonly changes: (BreakerChange & { readonly atMs: number })[] = [];
  readonly breaker: Breaker = createBreaker({
    monotonicMs: () => this.nowMs,
    // Each tag has a node of its name; an empty one is of a cluster that is not known.
    nodeOf: (hashTag) => hashTag || undefined,
    onChange: (change) => void this.changes.push({ ...change, atMs: this.nowMs }),
  });

  /** Begins a command, which is under way until it is settled, and answers what its caller gets in the end. */
  begin(node = ""): Promise<unknown> {
    const result = this.breaker.run(
      node,
      () =>
        new Promise<string>((resolve, reject) => {
          const settle = (outcome: Outcome) => {
            if (outcome === "answer") resolve("answer");
            else reject(outcome === "away" ? AWAY : BUG);
          };
          this.asked.push({ atMs: this.nowMs, settle });
        }),
    );
    return result.catch((err: unknown) => err);
  }

  /** A command that is settled at once. */
  async run(outcome: Outcome, node = ""): Promise<unknown> {
    const asked = this.asked.length;
    const result = this.begin(node);
    this.asked[asked]?.settle(outcome);
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
  test("is asked by everybody, however many failures there were as long as no three came in a row", async () => {
    const bench = new Bench();
    const outcomes: Outcome[] = ["away", "away", "answer", "away", "away", "answer"];
    for (const outcome of outcomes) await bench.run(outcome);
    expect(bench.asked).toHaveLength(6);
    expect(bench.changes).toEqual([]);
  });

  test("and a bug of ours pass through as they are, and the bug is no outage", async () => {
    const bench = new Bench();
    expect(await bench.run("answer")).toBe("answer");
    for (let n = 0; n < 10; n++) expect(await bench.run("bug")).toBe(BUG);
    expect(bench.changes).toEqual([]);
    expect(bench.asked).toHaveLength(11);
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

  test("is not asked for 250 ms, and callers are told at once", async () => {
    const bench = await away();
    for (const atMs of [0, 1, 249]) {
      bench.nowMs = atMs;
      expect(await bench.begin()).toBeInstanceOf(StoreUnavailable);
    }
    expect(bench.asked).toHaveLength(3);
  });

  test("is probed by one of any number of callers, also while the probe hangs, until the next is due", async () => {
    const bench = await away();
    bench.nowMs = PROBE_MS;
    const probe = bench.begin();
    const others = await Promise.all(Array.from({ length: 100 }, () => bench.begin()));
    expect(bench.asked).toHaveLength(4);
    for (const told of others) expect(told).toBeInstanceOf(StoreUnavailable);
    bench.nowMs = 2 * PROBE_MS - 1;
    expect(await bench.begin()).toBeInstanceOf(StoreUnavailable);
    bench.nowMs = 2 * PROBE_MS;
    void bench.begin();
    expect(bench.asked).toHaveLength(5);
    bench.asked[3]?.settle("answer");
    expect(await probe).toBe("answer");
  });

  test("is back with the first answer: reported once, and asked by everybody again", async () => {
    const bench = await away();
    bench.nowMs = 1_000;
    expect(await bench.run("answer")).toBe("answer");
    expect(bench.changes.slice(1)).toEqual([{ ...CAME_BACK, atMs: 1_000 }]);
    await Promise.all(Array.from({ length: 10 }, () => bench.run("answer")));
    expect(bench.asked).toHaveLength(14);
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

  test("with a hundred commands under way is reported once, and as many late failures postpone no report", async () => {
    const bench = new Bench();
    const callers = Array.from({ length: 100 }, () => bench.begin());
    bench.nowMs = 500;
    for (const { settle } of bench.asked) settle("away");
    await Promise.all(callers);
    expect(bench.changes).toEqual([{ ...WENT, atMs: 500 }]);
    bench.nowMs += PROBE_MS;
    await bench.run("answer");
    expect(bench.isUp).toBe(true);
  });
});

describe("a start without Redis", () => {
  test("is reported at once, and the first answer ends it", async () => {
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

  test("of a cluster ends with the answer of any node", async () => {
    const bench = new Bench();
    bench.breaker.trip(AWAY);
    await bench.run("answer", "a:1");
    expect(bench.changes.slice(1)).toEqual([{ ...CAME_BACK, atMs: 0 }]);
  });
});

describe("a node of a cluster that is away", () => {
  test("leaves the callers of the others alone, and their answers do not bring it back", async () => {
    const bench = await away("a:1");
    for (let n = 0; n < 100; n++) expect(await bench.run("answer", "b:1")).toBe("answer");
    expect(await bench.begin("a:1")).toBeInstanceOf(StoreUnavailable);
    expect(bench.changes).toEqual([{ ...WENT, node: "a:1", atMs: 0 }]);
  });

  test("is found away although the others answer between its failures", async () => {
    const bench = new Bench();
    for (let n = 0; n < 3; n++) {
      await bench.run("away", "a:1");
      await bench.run("answer", "b:1");
    }
    expect(bench.isUp).toBe(false);
  });

  test("is reported and probed by itself, and all is up again when the last one is", async () => {
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

  test("is forgotten when its slots have moved and nobody has asked it for a minute", async () => {
    const bench = await away("a:1");
    bench.nowMs = 60_000;
    await bench.run("answer", "b:1");
    expect(bench.isUp).toBe(false);
    bench.nowMs = 60_001;
    await bench.run("answer", "b:1");
    expect(bench.isUp).toBe(true);
  });

  test("is not forgotten as long as it is asked, even if only to be turned away", async () => {
    const bench = await away("a:1");
    for (bench.nowMs = 100; bench.nowMs < 200_000; bench.nowMs += 20_000) {
      void bench.begin("a:1");
      await bench.run("answer", "b:1");
    }
    expect(bench.isUp).toBe(false);
  });
});

describe("laws, for any order of callers, answers and pauses", () => {
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

  test("changes alternate, probes are 250 ms apart, and nobody is turned away while Redis is up", async () => {
    const property = fc.asyncProperty(events, async (run) => {
      const bench = new Bench();
      const open: Bench["asked"] = [];
      /** When Redis was last asked, or found away, during this absence. */
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
          const asked = bench.asked.length;
          const told = bench.begin();
          const begun = bench.asked.slice(asked);
          open.push(...begun);
          if (begun.length === 0) expect(await told).toBeInstanceOf(StoreUnavailable);
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

  test("whatever happened, Redis is asked again within 250 ms of the last failure, and one answer ends the absence", async () => {
    const property = fc.asyncProperty(events, async (run) => {
      const bench = new Bench();
      for (const step of run) {
        if (step.kind === "wait") bench.nowMs += step.ms;
        if (step.kind === "settle") bench.asked[step.which % bench.asked.length]?.settle(step.outcome);
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

/** Lets everything that waits for a settled promise go on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
