import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ToEdge } from "../../src/domain/edges/following.ts";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import { isVisible, type ReplicaTable, type TransactionId } from "../../src/store/replicas/replica-table.ts";
import { TIMES } from "../../src/store/replicas/times.ts";
import { LeaseDatabase, type SteppedReplica } from "./database.ts";

let db: LeaseDatabase;
let replica: SteppedReplica;
let key: NewKey;
let calls: string[];

beforeAll(async () => {
  db = await LeaseDatabase.open();
});
afterAll(() => db.close());

beforeEach(async () => {
  calls = [];
  replica = db.replica({ table: recorded(db.table) });
  key = await db.insertedKey();
  await replica.round();
});
afterEach(async () => {
  await db.query("delete from replicas");
  await db.query("delete from key_marks");
  await db.disconnect();
});

function recorded(table: ReplicaTable): ReplicaTable {
  return {
    ...table,
    look(...args) {
      calls.push("look");
      return table.look(...args);
    },
    renew(...args) {
      calls.push("renew");
      return table.renew(...args);
    },
  };
}

/** An edge with a lease that holds the key. */
function follow() {
  const received: ToEdge[] = [];
  const follower = replica.followers.follow(
    (message) => void received.push(message),
    () => {},
  );
  const grantedMs = follower.grant();
  expect(replica.followers.hold(follower.edgeId, key.secretHash)).toBe(true);
  return {
    ...follower,
    grantedMs,
    received,
    acknowledgeAll: () => follower.acknowledge(received.at(-1)?.number ?? 0),
  };
}

/** Whether the list shows that the replica has seen the transaction. */
async function hasSeen(transactionId: TransactionId): Promise<boolean> {
  const [row] = await db.listed();
  return row?.seen !== null && row?.seen !== undefined && isVisible(transactionId, row.seen);
}

describe("what a replica has seen", () => {
  test("is published when its edges have dropped it, and not before", async () => {
    const edge = follow();
    const { transactionId } = await db.table.insertMark(key.secretHash);
    for (let n = 0; n < 3; n++) await replica.round();
    expect(edge.received).toMatchObject([{ kind: "drop", subjects: [key.secretHash] }]);
    expect(await hasSeen(transactionId)).toBe(false);
    edge.acknowledgeAll();
    await replica.round(0);
    expect(await hasSeen(transactionId)).toBe(true);
  });

  test("is published when the lease of an edge that hangs has ended", async () => {
    follow();
    const { transactionId } = await db.table.insertMark(key.secretHash);
    for (let ms = 0; ms < TIMES.lease - TIMES.poll; ms += TIMES.poll) {
      await replica.round();
      expect(await hasSeen(transactionId)).toBe(false);
    }
    await replica.round();
    await replica.round();
    expect(await hasSeen(transactionId)).toBe(true);
  });

  test("is published although the edge asks for leases all the time, and acknowledges nothing", async () => {
    const edge = follow();
    const { transactionId } = await db.table.insertMark(key.secretHash);
    for (let ms = 0; ms <= TIMES.lease; ms += TIMES.poll) {
      await replica.round();
      expect(edge.grant()).toBeGreaterThan(0);
    }
    await replica.round();
    expect(await hasSeen(transactionId)).toBe(true);
  });

  test("is published up to the look that is settled, while a later one is not", async () => {
    const other = await db.insertedKey();
    const edge = follow();
    replica.followers.hold(edge.edgeId, other.secretHash);
    const first = await db.table.insertMark(key.secretHash);
    await replica.round();
    const second = await db.table.insertMark(other.secretHash);
    await replica.round();
    edge.acknowledge(1);
    await replica.round();
    expect([await hasSeen(first.transactionId), await hasSeen(second.transactionId)]).toEqual([true, false]);
    edge.acknowledgeAll();
    await replica.round();
    expect(await hasSeen(second.transactionId)).toBe(true);
  });

  test("is published at once where no edge holds the record", async () => {
    follow();
    const other = await db.insertedKey();
    const { transactionId } = await db.table.insertMark(other.secretHash);
    await replica.round();
    expect(await hasSeen(transactionId)).toBe(true);
  });
});

describe("while an edge is waited for", () => {
  test("looks and renewals go on, with the look before, and so does the lease", async () => {
    follow();
    const before = (await db.listed())[0];
    await db.table.insertMark(key.secretHash);
    calls = [];
    for (let ms = 0; ms < 2_100; ms += TIMES.poll) {
      await replica.round();
      expect(replica.lease.isHeld()).toBe(true);
    }
    const after = (await db.listed())[0];
    expect(calls.filter((call) => call === "renew").length).toBe(2);
    expect(calls.filter((call) => call === "look").length).toBe(14);
    expect(after?.beats).toBe((before?.beats ?? 0) + 2);
    expect(after?.seen).toBe(before?.seen);
  });

  test("its next lease lasts no longer than this replica's own", async () => {
    const edge = follow();
    expect(edge.grantedMs).toBe(TIMES.lease - 200);
    replica.pass(1_000);
    expect(edge.grant()).toBe(TIMES.lease - 1_200);
    replica.pass(TIMES.lease - 1_000);
    expect(edge.grant()).toBe(0);
  });

  test("the record is gone from the replica's own cache", async () => {
    follow();
    expect(await replica.caches(key)).toBe(true);
    await db.change(key);
    await replica.round();
    expect(await replica.isCached(key)).toBe(false);
  });
});

test("a record that is marked may not be kept, one whose change is over may be", async () => {
  const edge = follow();
  const { markId } = await db.table.insertMark(key.secretHash);
  await replica.round();
  expect(replica.followers.hold(edge.edgeId, key.secretHash)).toBe(false);
  await db.table.deleteMark(markId);
  await replica.round();
  expect(replica.followers.hold(edge.edgeId, key.secretHash)).toBe(true);
});

test("a replica that may have missed changes has its edges drop all", async () => {
  const edge = follow();
  await db.logChanges(10_001);
  await replica.round();
  expect(edge.received).toMatchObject([{ kind: "drop_all" }]);
});

test("a replica that was removed from the list grants nothing until it has registered and looked", async () => {
  const edge = follow();
  await db.query("delete from replicas");
  await db.change(key);
  await replica.round();
  expect(edge.grant()).toBe(0);
  expect(edge.received).toMatchObject([{ kind: "drop", subjects: [key.secretHash] }]);
  await replica.round();
  expect(edge.grant()).toBeGreaterThan(0);
});
