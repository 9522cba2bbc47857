// promise: audit.impersonation
import { afterEach, expect, test, vi } from "vitest";
import { newKey } from "../../../test/store/records.ts";
import type { SecretKeyCaller } from "../../domain/access/principal.ts";
import { NO_RIGHTS } from "../../domain/access/scopes.ts";
import type { ImpersonatedCalls } from "../../domain/audit/audit-trail.ts";
import { createImpersonationRecorder, type OwnImpersonations } from "./impersonation-recorder.ts";

const NEVER = new AbortController().signal;
const AT = new Date("2026-03-01T12:34:56Z");
const HOUR = new Date("2026-03-01T12:00:00Z");
const { record: KEY } = newKey({ tenantId: "ten_1" });

const opened: OwnImpersonations[] = [];
afterEach(async () => {
  for (const recorder of opened.splice(0)) await recorder.close(AbortSignal.abort());
});

/** A recorder whose database may be down, or take a batch without saying so. */
function start() {
  const batches = new Map<string, readonly ImpersonatedCalls[]>();
  const errors: unknown[] = [];
  const lost: number[] = [];
  const store = { isDown: false, isSilent: false };
  const recorder = createImpersonationRecorder({
    audit: {
      async addImpersonations(batchId, counted) {
        if (store.isDown) throw new Error("down");
        batches.set(batchId, counted);
        if (store.isSilent) throw new Error("no reply");
      },
    },
    onError: (err) => void errors.push(err),
    onLost: (calls) => void lost.push(calls),
  });
  opened.push(recorder);
  const call = (userId: string, { requestId = "req_1", at = AT, tenantId = "ten_1", key = KEY } = {}) => {
    const caller: SecretKeyCaller = { kind: "secret_key", key, tenantId, onBehalfOf: userId, rights: NO_RIGHTS };
    recorder.record(at, { requestId, address: "192.0.2.1" }, caller);
  };
  const stored = () => [...batches.values()].flat();
  const storedCalls = () => stored().reduce((sum, { calls }) => sum + calls, 0);
  return { recorder, call, batches, stored, storedCalls, errors, lost, store };
}

test("calls of a key for a user within an hour are one count, with the place of the first", async () => {
  const { recorder, call, stored } = start();
  call("u1", { requestId: "req_first" });
  for (let n = 0; n < 9; n++) call("u1", { requestId: `req_${n}` });
  call("u2");
  call("u1", { at: new Date("2026-03-01T13:00:00Z") });
  await recorder.flush();
  const count = { hour: HOUR, tenantId: "ten_1", keyId: KEY.keyId };
  expect(stored()).toEqual([
    { ...count, userId: "u1", calls: 10, origin: { address: "192.0.2.1", requestId: "req_first", traceId: null } },
    expect.objectContaining({ ...count, userId: "u2", calls: 1 }),
    expect.objectContaining({ hour: new Date("2026-03-01T13:00:00Z"), userId: "u1", calls: 1 }),
  ]);
});

test("a batch without a reply is sent again unchanged, before any other, so that no call counts twice", async () => {
  const { recorder, call, batches, storedCalls, errors, store } = start();
  store.isSilent = true;
  call("u1");
  await recorder.flush();
  call("u1");
  await recorder.flush();
  expect(errors).toHaveLength(2);
  expect(batches.size).toBe(1);
  store.isSilent = false;
  await recorder.flush();
  expect(batches.size).toBe(1);
  await recorder.flush();
  expect(batches.size).toBe(2);
  expect(storedCalls()).toBe(2);
});

test("while the database is away there is an end of room, and nothing is stored without its user", async () => {
  const { recorder, call, stored, storedCalls, store } = start();
  store.isDown = true;
  const caller = { key: KEY, tenantId: "ten_1", onBehalfOf: "another" };
  for (let n = 0; n < 5_000; n++) call(`u${n}`);
  expect(recorder.hasRoom(AT, caller)).toBe(false);
  call("u0");
  call("another");
  store.isDown = false;
  await recorder.flush();
  expect(recorder.hasRoom(AT, caller)).toBe(true);
  await recorder.close(NEVER);
  expect(storedCalls()).toBe(5_002);
  expect(stored().every(({ userId }) => userId !== "")).toBe(true);
});

test("what a batch leaves over is stored at once, not a second later", async () => {
  vi.useFakeTimers();
  try {
    const { call, storedCalls } = start();
    for (let n = 0; n < 5_000; n++) call(`u${n}`);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(storedCalls()).toBe(5_000);
  } finally {
    vi.useRealTimers();
  }
});

test("a tenant with very many users does not hold up another's", async () => {
  const { recorder, call, stored } = start();
  for (let n = 0; n < 5_000; n++) call(`u${n}`);
  call("u1", { tenantId: "ten_2" });
  await recorder.flush();
  expect(stored()).toHaveLength(501);
  expect(stored()).toContainEqual(expect.objectContaining({ tenantId: "ten_2" }));
});

test("a process that stops stores what is left, and reports what it could not", async () => {
  const { recorder, call, storedCalls, lost } = start();
  for (let n = 0; n < 3_000; n++) call(`u${n}`);
  await recorder.close(NEVER);
  expect({ stored: storedCalls(), lost }).toEqual({ stored: 3_000, lost: [] });

  const away = start();
  away.store.isDown = true;
  away.call("u1");
  away.call("u1");
  await away.recorder.flush();
  away.call("u2");
  await away.recorder.close(AbortSignal.timeout(50));
  expect(away.lost).toEqual([3]);
});
