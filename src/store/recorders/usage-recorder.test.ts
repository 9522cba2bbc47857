// promise: usage.complete
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Ledger } from "../../../test/harness/usage-ledger.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import { createUsageRecorder, type OwnUsage, type UsageLoss } from "./usage-recorder.ts";

const START = new Date("2027-01-15T08:00:00Z");
const FLUSH_MS = 1_000;
const NEVER = new AbortController().signal;

let ledger: Ledger;
let errors: unknown[];
let lost: UsageLoss[];
let recorder: OwnUsage;

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout", "Date"] });
  ledger = new Ledger();
  errors = [];
  lost = [];
  recorder = createUsageRecorder({
    keys: ledger,
    onError: (err) => void errors.push(err),
    onStored: () => {},
    onLost: (loss) => void lost.push(loss),
  });
});

afterEach(() => {
  vi.clearAllTimers();
  vi.useRealTimers();
});

function count(keyId: string, successful: number, failed = 0, at = START): void {
  for (let n = 0; n < successful; n++) recorder.count(keyId, { failure: undefined, at });
  for (let n = 0; n < failed; n++) recorder.count(keyId, { failure: "rate_limited", at });
}

/** Stores the counts of the keys that most tests use. */
function flush(): Promise<void> {
  return recorder.store(["a", "b"]);
}

describe("what is counted", () => {
  test("is stored within a second without a flush, as one batch", async () => {
    count("a", 3, 2);
    count("b", 0, 1);
    await vi.advanceTimersByTimeAsync(FLUSH_MS);
    expect(ledger.of("a")).toEqual({ total: 5, successful: 3, failed: 2 });
    expect(ledger.of("b")).toEqual({ total: 1, successful: 0, failed: 1 });
    expect(ledger.sent).toHaveLength(1);
  });

  test("of very many keys is stored by 2,000 keys a second, those first that have waited longest", async () => {
    const ids = Array.from({ length: 5_000 }, (_, n) => `key ${n}`);
    for (const id of ids) count(id, 1);
    await vi.advanceTimersByTimeAsync(FLUSH_MS);
    expect([...ledger.totals.keys()]).toEqual(ids.slice(0, 2_000));
    for (const id of ids) count(id, 0, 1);
    await vi.advanceTimersByTimeAsync(2 * FLUSH_MS);
    expect([...ledger.totals.keys()]).toEqual(ids);
    expect(ledger.of("key 4999")).toEqual({ total: 2, successful: 1, failed: 1 });
    expect(ledger.of("key 1999")).toEqual({ total: 1, successful: 1, failed: 0 });
    await vi.advanceTimersByTimeAsync(2 * FLUSH_MS);
    expect(ledger.ofEach(ids)).toEqual([{ total: 2, successful: 1, failed: 1 }]);
    expect(ledger.sent.map(({ keys }) => keys)).toEqual([2_000, 2_000, 1_000 + 1_000, 1_000]);
  });

  test("of very many keys is sent in batches that a database can store when the process stops", async () => {
    const ids = Array.from({ length: 25_000 }, (_, n) => `key ${n}`);
    for (const id of ids) count(id, 1);
    await recorder.close(NEVER);
    expect(ledger.ofEach(ids)).toEqual([{ total: 1, successful: 1, failed: 0 }]);
    expect(Math.max(...ledger.sent.map(({ keys }) => keys))).toBe(10_000);
  });

  test("of a key that is asked for is stored at once, and that of no other", async () => {
    count("a", 1);
    count("b", 1);
    await recorder.store(["a", "never used"]);
    expect([...ledger.totals.keys()]).toEqual(["a"]);
  });

  test("has the time of the last use from the count until the store shows it", async () => {
    expect(recorder.lastUsed("a")).toBeUndefined();
    count("a", 1);
    expect(recorder.lastUsed("a")).toEqual(START);
    ledger.outcome = "lost";
    await recorder.store(["a"]).catch(() => {});
    expect(recorder.lastUsed("a")).toEqual(START);
    ledger.outcome = "stored";
    // A read that began before the batch was stored does not show it.
    await recorder.store(["a"]);
    expect(recorder.lastUsed("a")).toEqual(START);
  });

  test("is stored at once by a later flush", async () => {
    count("a", 1);
    await flush();
    expect(ledger.of("a")?.total).toBe(1);
  });

  test("nothing at all is not sent", async () => {
    await vi.advanceTimersByTimeAsync(10 * FLUSH_MS);
    await flush();
    expect(ledger.sent).toEqual([]);
  });

  test("has the latest time of use, whatever the order of the requests", async () => {
    const at = (seconds: number): Date => new Date(START.getTime() + seconds * 1_000);
    for (const seconds of [3, 9, 1]) count("a", 1, 0, at(seconds));
    await flush();
    expect(ledger.totals.get("a")?.lastUsedAt).toEqual(at(9));
  });

  test("during a flush is stored by the next flush", async () => {
    ledger.outcome = undefined;
    count("a", 1);
    const first = flush();
    await vi.advanceTimersByTimeAsync(0);
    count("a", 10);
    ledger.sent[0]?.end("stored");
    await first;
    expect(ledger.of("a")?.total).toBe(1);
    ledger.outcome = "stored";
    await flush();
    expect(ledger.of("a")?.total).toBe(11);
  });
});

describe("a flush", () => {
  test("waits for one that is under way, even if nothing was counted since", async () => {
    ledger.outcome = undefined;
    count("a", 1);
    void flush();
    await vi.advanceTimersByTimeAsync(0);
    let ended = false;
    const second = flush().then(() => {
      ended = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toBe(false);
    ledger.sent[0]?.end("stored");
    await second;
    expect(ledger.of("a")?.total).toBe(1);
  });

  test("rejects while the store is away, and does not delay a later flush", async () => {
    ledger.outcome = "lost";
    count("a", 1);
    await expect(flush()).rejects.toBeInstanceOf(StoreUnavailable);
    ledger.outcome = "stored";
    await flush();
    expect(ledger.of("a")?.total).toBe(1);
  });

  test("never runs beside another one, and each of a hundred at once stores the counts before it", async () => {
    ledger.outcome = undefined;
    const seen: Promise<boolean>[] = [];
    for (let n = 1; n <= 100; n++) {
      count("a", 1);
      seen.push(flush().then(() => (ledger.of("a")?.total ?? 0) >= n));
    }
    while (ledger.of("a")?.total !== 100) {
      await vi.advanceTimersByTimeAsync(0);
      for (const { end } of ledger.sent) end("stored");
    }
    expect(await Promise.all(seen)).toEqual(seen.map(() => true));
    expect(ledger.mostUnderWay).toBe(1);
  });
});

describe("a store that is away", () => {
  test("loses no count and doubles none, whether or not it stored an unconfirmed batch", async () => {
    count("a", 2, 1);
    ledger.outcome = "lost";
    await vi.advanceTimersByTimeAsync(3 * FLUSH_MS);
    count("a", 5);
    ledger.outcome = "stored, but the answer was lost";
    await vi.advanceTimersByTimeAsync(3 * FLUSH_MS);
    count("b", 1);
    ledger.outcome = "stored";
    await vi.advanceTimersByTimeAsync(2 * FLUSH_MS);
    expect(ledger.of("a")).toEqual({ total: 8, successful: 7, failed: 1 });
    expect(ledger.of("b")).toEqual({ total: 1, successful: 1, failed: 0 });
  });

  test("is reported once a second, and is sent the same batch until it confirms it", async () => {
    count("a", 1);
    ledger.outcome = "lost";
    await vi.advanceTimersByTimeAsync(5 * FLUSH_MS);
    expect(errors).toHaveLength(5);
    expect(new Set(ledger.sent.map(({ batchId }) => batchId)).size).toBe(1);
  });

  test("costs no memory per request: there is one count for each key", async () => {
    ledger.outcome = "lost";
    for (let second = 0; second < 60; second++) {
      count("a", 100);
      await vi.advanceTimersByTimeAsync(FLUSH_MS);
    }
    ledger.outcome = "stored";
    await flush();
    expect(new Set(ledger.sent.map(({ batchId }) => batchId)).size).toBe(2);
    expect(ledger.of("a")?.total).toBe(6_000);
  });

  test("and slow to fail, builds up no queue: after a minute a flush waits for two attempts at most", async () => {
    // A database that accepts connections and does not respond: each attempt fails only after its time limit.
    const ATTEMPT_MS = 5_000;
    const keys = {
      addUsage: () =>
        new Promise<void>((_, reject) => setTimeout(() => reject(new StoreUnavailable("silence")), ATTEMPT_MS)),
    };
    const slow = createUsageRecorder({
      keys,
      onError: () => {},
      onStored: () => {},
      onLost: () => {},
    });
    slow.count("a", { failure: undefined, at: START });
    await vi.advanceTimersByTimeAsync(60_000);
    let waitedMs = 0;
    let answered = false;
    const flushed = slow.store(["a"]).catch(() => {
      answered = true;
    });
    while (!answered && waitedMs < 600_000) {
      await vi.advanceTimersByTimeAsync(FLUSH_MS);
      waitedMs += FLUSH_MS;
    }
    await flushed;
    expect(waitedMs).toBeLessThanOrEqual(2 * ATTEMPT_MS + FLUSH_MS);
  });
});

describe("closing", () => {
  test("stores all counts, also those that could not be stored before", async () => {
    count("a", 1);
    ledger.outcome = "lost";
    await vi.advanceTimersByTimeAsync(FLUSH_MS);
    count("a", 2);
    ledger.outcome = "stored";
    await recorder.close(NEVER);
    expect(ledger.of("a")?.total).toBe(3);
  });

  test("waits for the flush under way", async () => {
    ledger.outcome = undefined;
    count("a", 1);
    void flush();
    await vi.advanceTimersByTimeAsync(0);
    count("a", 1);
    const closing = recorder.close(NEVER);
    ledger.outcome = "stored";
    ledger.sent[0]?.end("stored");
    await closing;
    expect(ledger.of("a")?.total).toBe(2);
  });

  test("waits 10 s for a store that is away, and then reports how much is lost", async () => {
    count("a", 2);
    ledger.outcome = "lost";
    await flush().catch(() => {});
    count("b", 0, 1);
    const closing = recorder.close(NEVER);
    await vi.advanceTimersByTimeAsync(9_900);
    expect(lost).toEqual([]);
    await vi.advanceTimersByTimeAsync(FLUSH_MS);
    await closing;
    expect(lost).toEqual([{ neverSent: 1, unconfirmed: 2 }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("waits until the deadline, also for a store that does not respond, and then reports how much is lost", async () => {
    ledger.outcome = undefined;
    count("a", 2);
    const deadline = new AbortController();
    const closing = recorder.close(deadline.signal);
    await vi.advanceTimersByTimeAsync(500);
    count("b", 1);
    expect(lost).toEqual([]);
    deadline.abort();
    await closing;
    expect(lost).toEqual([{ neverSent: 1, unconfirmed: 2 }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("after the deadline stores nothing more, and reports the counts", async () => {
    count("a", 1);
    ledger.outcome = undefined;
    await recorder.close(AbortSignal.abort());
    expect(lost).toEqual([{ neverSent: 0, unconfirmed: 1 }]);
  });

  test("stores what it can if the store comes back in that time", async () => {
    count("a", 2);
    ledger.outcome = "lost";
    const closing = recorder.close(NEVER);
    await vi.advanceTimersByTimeAsync(5_000);
    ledger.outcome = "stored";
    await vi.advanceTimersByTimeAsync(FLUSH_MS);
    await closing;
    expect(ledger.of("a")?.total).toBe(2);
    expect(lost).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
