// promise: requests.recent
import { afterEach, expect, test, vi } from "vitest";
import { newRequest } from "../../../test/harness/recent-requests.ts";
import type { RecentRequest } from "../../domain/requests/recent-request.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import { createRequestRecorder, NO_REQUESTS, type OwnRequests } from "./request-recorder.ts";

const NEVER = new AbortController().signal;
const AT = new Date("2026-03-01T12:34:56Z");

const opened: OwnRequests[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const recorder of opened.splice(0)) await recorder.close(AbortSignal.abort());
});

/** A recorder whose database may be down, take a batch without saying so, or refuse it. */
function start() {
  const batches = new Map<string, readonly RecentRequest[]>();
  const errors: unknown[] = [];
  const store: { fails: "no" | "is down" | "is silent" | "refuses" } = { fails: "no" };
  const recorder = createRequestRecorder({
    requests: {
      async addRequests(batchId, requests) {
        if (store.fails === "refuses") throw new Error("invalid byte sequence");
        if (store.fails !== "is down") batches.set(batchId, requests);
        if (store.fails !== "no") throw new StoreUnavailable(new Error("no reply"));
      },
    },
    onError: (err) => void errors.push(err),
  });
  opened.push(recorder);
  const record = (count: number, fields: Partial<RecentRequest> = {}) => {
    for (let n = 0; n < count; n++) recorder.record(newRequest({ requestId: `${n}`, ...fields }));
  };
  const stored = () => [...batches.values()].flat();
  return { recorder, record, batches, stored, errors, store };
}

const idsOf = (requests: readonly RecentRequest[]) => requests.map(({ requestId }) => requestId);
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `${from + n}`);

test("requests are stored once a second, and as soon as they are read", async () => {
  vi.useFakeTimers();
  const { recorder, record, stored } = start();
  record(1, { requestId: "a" });
  expect(stored()).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(idsOf(stored())).toEqual(["a"]);
  record(1, { requestId: "b" });
  await recorder.stored();
  expect(idsOf(stored())).toEqual(["a", "b"]);
});

test("a reader finds the newest request of a key, however many came before it", async () => {
  const { recorder, record, stored } = start();
  record(60);
  await recorder.stored();
  expect(idsOf(stored())).toHaveLength(60);
});

test("of a key that is denied all the time the newest 100 wait, and 20 are stored at a time, oldest first", async () => {
  const { recorder, record, stored } = start();
  record(1_000);
  await recorder.flush();
  expect(idsOf(stored())).toEqual(numbers(900, 920));
  for (let n = 0; n < 10; n++) await recorder.flush();
  expect(idsOf(stored())).toEqual(numbers(900, 1_000));
});

test("a tenant with many denied keys holds up no other tenant, and no key of it holds up its other keys", async () => {
  const { recorder, record, stored } = start();
  for (let key = 0; key < 50; key++) record(100, { tenantId: "greedy", keyId: `key_${key}` });
  record(1, { tenantId: "polite", requestId: "p" });
  await recorder.flush();
  expect(stored().filter(({ tenantId }) => tenantId === "greedy")).toHaveLength(200);
  expect(idsOf(stored())).toContain("p");
  await recorder.flush();
  const keys = new Set(stored().map(({ keyId }) => keyId));
  expect(keys.size).toBe(20);
});

test("what waits is bounded, of a tenant and of all, and the newest of a key stays", async () => {
  const { recorder, record, stored, store } = start();
  store.fails = "is down";
  for (let tenant = 0; tenant < 8; tenant++) {
    for (let key = 0; key < 30; key++) record(100, { tenantId: `ten_${tenant}`, keyId: `key_${key}` });
  }
  record(1, { tenantId: "ten_0", keyId: "key_0", requestId: "newest" });
  record(1, { tenantId: "ten_late" });
  store.fails = "no";
  await recorder.close(NEVER);
  const all = stored();
  expect(all).toHaveLength(10_000);
  expect(all.filter(({ tenantId }) => tenantId === "ten_1")).toHaveLength(2_000);
  expect(idsOf(all)).toContain("newest");
});

test("a batch without a reply is sent again unchanged, before any other", async () => {
  const { recorder, record, batches, store, errors } = start();
  store.fails = "is silent";
  record(2);
  await recorder.flush();
  record(1, { requestId: "later" });
  await recorder.flush();
  expect(batches.size).toBe(1);
  expect(errors).toHaveLength(2);
  store.fails = "no";
  await recorder.flush();
  await recorder.flush();
  expect([...batches.values()].map(idsOf)).toEqual([["0", "1"], ["later"]]);
});

test("a batch that the database refuses is dropped, and holds up no other", async () => {
  const { recorder, record, stored, store, errors } = start();
  store.fails = "refuses";
  record(1, { requestId: "odd" });
  await recorder.flush();
  store.fails = "no";
  record(1, { requestId: "fine" });
  await recorder.flush();
  expect(errors).toHaveLength(1);
  expect(idsOf(stored())).toEqual(["fine"]);
});

test("a process that stops stores what is left, and gives up at its deadline", async () => {
  const { recorder, record, stored } = start();
  record(100);
  record(3, { keyId: "key_2" });
  await recorder.close(NEVER);
  expect(stored()).toHaveLength(103);
  const down = start();
  down.store.fails = "is down";
  down.record(1);
  await down.recorder.close(AbortSignal.timeout(10));
  expect(down.stored()).toEqual([]);
});

test("one admitted request a minute of each key is a sample", () => {
  const { recorder } = start();
  const at = (seconds: number) => new Date(AT.getTime() + seconds * 1_000);
  expect(recorder.samples("a", at(0))).toBe(true);
  expect(recorder.samples("a", at(3))).toBe(false);
  expect(recorder.samples("b", at(3))).toBe(true);
  expect(recorder.samples("a", at(4))).toBe(true);
  expect(recorder.samples("a", at(63))).toBe(false);
});

test("of more than 10,000 keys within a minute, the others have no sample", () => {
  const { recorder } = start();
  for (let n = 0; n < 10_000; n++) recorder.samples(`key_${n}`, AT);
  expect(recorder.samples("late", AT)).toBe(false);
  expect(recorder.samples("late", new Date(AT.getTime() + 60_000))).toBe(true);
});

test("nothing is recorded where no requests are kept", async () => {
  expect([NO_REQUESTS.isOn, NO_REQUESTS.samples("a", AT)]).toEqual([false, false]);
  NO_REQUESTS.record(newRequest());
  await NO_REQUESTS.stored();
});
