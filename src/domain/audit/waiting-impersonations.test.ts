// promise: audit.no-hiding
import { describe, expect, test } from "vitest";
import { WaitingImpersonations } from "./waiting-impersonations.ts";

const AT = new Date("2026-03-01T12:34:56Z");
const MOST = { all: 2_000, ofTenant: 500 };

interface Called {
  readonly tenantId?: string;
  readonly keyId?: string;
  readonly at?: Date;
}

function start() {
  const waiting = new WaitingImpersonations();
  const callerOf = (userId: string | null, { tenantId = "ten_1", keyId = "key_1" }: Called) => ({
    ...{ tenantId, key: { keyId }, onBehalfOf: userId },
  });
  const add = (userId: string | null, called: Called = {}) =>
    waiting.add(called.at ?? AT, { requestId: "req_1", address: null }, callerOf(userId, called));
  const hasRoom = (userId: string | null, called: Called = {}) =>
    waiting.hasRoom(called.at ?? AT, callerOf(userId, called));
  /** Admits calls for made-up users while there is room. Returns for how many. */
  const fill = (called: Called = {}): number => {
    let users = 0;
    while (hasRoom(`made-up ${users}`, called)) add(`made-up ${users++}`, called);
    return users;
  };
  return { waiting, add, hasRoom, fill };
}

describe("room", () => {
  test("is for 5,000 users of one key, and those that wait already have it", () => {
    const { hasRoom, fill, waiting } = start();
    expect(fill()).toBe(5_000);
    expect([hasRoom("made-up 0"), hasRoom("made-up 4999"), hasRoom("another")]).toEqual([true, true, false]);
    expect(hasRoom("made-up 0", { at: new Date("2026-03-01T13:00:00Z") })).toBe(false);
    expect(waiting.size).toBe(5_000);
  });

  // threat: X19
  test("is left by each key for others of its tenant, and by each tenant for others", () => {
    const { hasRoom, fill, waiting } = start();
    for (let tenant = 0; tenant < 6; tenant++) {
      const tenantId = `ten_${tenant}`;
      for (let key = 0; key < 4; key++) {
        const called = { tenantId, keyId: `key_${key}` };
        expect(hasRoom("someone", called)).toBe(true);
        fill(called);
      }
    }
    expect(waiting.size).toBeLessThanOrEqual(50_000);
    expect(hasRoom("someone", { tenantId: "ten_9", keyId: "key_9" })).toBe(true);
  });

  test("is there again for what was taken out", () => {
    const { waiting, hasRoom, fill } = start();
    fill();
    expect(hasRoom("another")).toBe(false);
    waiting.take(MOST);
    expect([waiting.size, hasRoom("another")]).toEqual([4_500, true]);
  });

  test("is not needed by a call for the tenant itself, which is not counted", () => {
    const { waiting, add, hasRoom, fill } = start();
    fill();
    expect(hasRoom(null)).toBe(true);
    add(null);
    expect(waiting.size).toBe(5_000);
  });
});

test("every call is taken out with its user, also beyond the room, and what an edge has counted is added", () => {
  const { waiting, add, fill } = start();
  fill();
  add("beyond");
  add("beyond");
  const origin = { address: null, requestId: "req_2", traceId: null };
  waiting.addCounted({ hour: AT, tenantId: "ten_1", keyId: "key_1", userId: "beyond", calls: 3, origin });
  waiting.addCounted({ hour: AT, tenantId: "ten_1", keyId: "key_1", userId: "at an edge", calls: 4, origin });
  const taken = waiting.take({ all: 10_000, ofTenant: 10_000 });
  expect([taken.length, waiting.size]).toEqual([5_002, 0]);
  expect(taken.filter(({ userId }) => userId === "")).toEqual([]);
  const hour = new Date("2026-03-01T12:00:00Z");
  expect(taken).toContainEqual(expect.objectContaining({ hour, userId: "beyond", calls: 5 }));
  expect(taken).toContainEqual(expect.objectContaining({ hour, userId: "at an edge", calls: 4, origin }));
});

test("tenants and keys take turns", () => {
  const { waiting, add, fill } = start();
  fill();
  add("someone", { tenantId: "ten_2" });
  add("someone", { keyId: "key_2" });
  const users = () => waiting.take(MOST).map(({ tenantId, keyId }) => `${tenantId} ${keyId}`);
  expect(new Set(users())).toEqual(new Set(["ten_1 key_1", "ten_2 key_1"]));
  expect(new Set(users())).toEqual(new Set(["ten_1 key_2", "ten_1 key_1"]));
});
