import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { keyStatus } from "../../src/domain/credentials/status.ts";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import { KnownHistory } from "../../src/store/replicas/known-history.ts";
import type { Mended, RestoreChanges } from "../../src/store/replicas/mending.ts";
import type { ReplicaTable } from "../../src/store/replicas/replica-table.ts";
import { TIMES } from "../../src/store/replicas/times.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { createRestoreChanges } from "../../src/store/sql/replicas/restore-changes.ts";
import { ACT } from "../harness/act.ts";
import { LeaseDatabase, type SteppedReplica } from "./database.ts";

const AT = new Date("2030-01-31T12:00:00Z");
const OTHER = "00000000-0000-4000-8000-00000000000b";

let db: LeaseDatabase;
/** As looks show it. */
let server: { id: string; system: string | null; timeline: number | null };
let history: KnownHistory;
let mended: Mended[];

beforeAll(async () => {
  db = await LeaseDatabase.open();
});
afterAll(() => db.close());
beforeEach(() => {
  server = { id: "one", system: "1", timeline: 1 };
  history = new KnownHistory();
  mended = [];
});
afterEach(async () => {
  for (const table of ["replicas", "key_marks", "promised_changes"]) await db.query(`delete from ${table}`);
  await db.disconnect();
});

/** The database as another server, whose place in the history the test says. */
function table(): ReplicaTable {
  return {
    ...db.table,
    async look(...args) {
      const look = await db.table.look(...args);
      const { id, system, timeline } = server;
      return { ...look, server: id, history: { ...look.history, system, timeline } };
    },
    findMissing: async (...args) => ({ ...(await db.table.findMissing(...args)), server: server.id }),
  };
}

function start(changes: RestoreChanges = createRestoreChanges(db.database), known = history): SteppedReplica {
  const restoring = { changes, onMended: (each: Mended) => void mended.push(each) };
  return db.replica({ table: table(), history: known, restoring });
}

/** A key that was revoked while the replica followed. Then the server loses that. */
async function losesRevocation(replica: SteppedReplica, all: readonly SteppedReplica[] = [replica]): Promise<NewKey> {
  const key = await db.insertedKey();
  const { tenantId, keyId } = key.record;
  const marking = {
    async beginChange(subject: string) {
      const { markId } = await db.table.insertMark(subject);
      return { markId, end: async () => {}, abandon: async () => {} };
    },
  };
  const store = createKeyStore(db.database, marking);
  for (const each of all) await each.round();
  await store.updateKeyUnderLock(tenantId, keyId, () => ({ patch: { revokedAt: AT } }), ACT);
  for (const each of all) await each.round();
  await db.query("delete from promised_changes");
  await db.query("update api_keys set revoked_at = null where key_id = $1", [keyId]);
  return key;
}

const promote = () => {
  server = { id: "two", system: "1", timeline: 2 };
};

async function statusOf(replica: SteppedReplica, { secretHash }: NewKey): Promise<string> {
  const found = await replica.cache.inFrontOf(db.keys).findKeyBySecretHash(secretHash);
  return found === undefined ? "unknown" : keyStatus(found, new Date());
}

const rows = () =>
  db.query<{ mended: string | null; beats: number }>("select mended, beats::int as beats from replicas");

describe("a server that lacks a change", () => {
  test("and was promoted is denied it at once, gets it again, and changes are refused until then", async () => {
    const gate = Promise.withResolvers<void>();
    const { restore, list } = createRestoreChanges(db.database);
    const replica = start({ restore: (lost) => gate.promise.then(() => restore(lost)), list });
    const key = await losesRevocation(replica);
    promote();
    await replica.round();
    expect(await statusOf(replica, key)).toBe("revoked");
    expect([history.newest, replica.lease.isHeld()]).toEqual([history.asked, true]);
    expect(history.newestToChange).not.toBe(history.asked);
    gate.resolve();
    await expect.poll(() => mended).toEqual([{ lacked: 1, restored: 1, lost: 0 }]);
    expect(history.newestToChange).toBe(history.asked);
    expect(await statusOf(replica, key)).toBe("revoked");
    expect((await db.keys.findKey(key.record.tenantId, key.record.keyId))?.revokedAt).toEqual(AT);
  });

  test("lists an event as lost unless its change was made again, by whichever replica looked first", async () => {
    const replicas = [start(), start(undefined, new KnownHistory())];
    const key = await losesRevocation(replicas[0] as SteppedReplica, replicas);
    const { keyId } = key.record;
    await db.query(
      `set session_replication_role = replica; delete from audit_events where target_id = '${keyId}'; reset session_replication_role`,
    );
    promote();
    for (const [n, replica] of replicas.entries()) {
      await replica.round();
      await expect.poll(() => mended.length).toBe(n + 1);
    }
    expect(mended).toEqual([
      { lacked: 1, restored: 1, lost: 0 },
      { lacked: 0, restored: 0, lost: 0 },
    ]);
    const ofKey = await db.query<{ action: string }>("select action from audit_events where target_id = $1", [keyId]);
    expect(ofKey.map(({ action }) => action)).toEqual(["change.restored"]);
  });

  test("is denied it until an attempt to make it again succeeds", async () => {
    const { restore, list } = createRestoreChanges(db.database);
    let attempts = 0;
    const replica = start({
      async restore(lost) {
        attempts += 1;
        if (attempts < 3) throw new StoreUnavailable("away");
        return restore(lost);
      },
      list,
    });
    const key = await losesRevocation(replica);
    promote();
    await replica.round();
    while (mended.length === 0) expect(await statusOf(replica, key)).toBe("revoked");
    expect(attempts).toBe(3);
  });

  test.each([
    ["with the same timeline", { timeline: 1 }],
    ["with a lower timeline", { timeline: 0 }],
    ["without a timeline", { timeline: null }],
    ["of another cluster", { system: "2", timeline: 9 }],
  ])("and was not promoted is refused: %s", async (_, place) => {
    const replica = start();
    await losesRevocation(replica);
    server = { ...server, id: "two", ...place };
    const refused = history.refused;
    await expect(replica.round()).rejects.toThrow(StoreUnavailable);
    expect([history.refused - refused, mended]).toEqual([1, []]);
    // Others that remember less wait for as long as it refuses.
    expect(await rows()).toMatchObject([{ mended: null }]);
    const [before] = await rows();
    await expect(replica.round(TIMES.renewal)).rejects.toThrow(StoreUnavailable);
    expect((await rows())[0]?.beats).toBe((before?.beats ?? 0) + 1);
  });

  test("that is older than what is remembered is refused, promoted or not", async () => {
    const replica = start();
    const key = await db.insertedKey();
    await db.query("insert into promised_changes (made_at) values (now() - interval '20 minutes')");
    await replica.round();
    await db.query("delete from promised_changes");
    promote();
    await expect(replica.round()).rejects.toThrow(StoreUnavailable);
    expect([await statusOf(replica, key), mended]).toEqual(["active", []]);
  });
});

describe("another server that lacks nothing that a replica remembers", () => {
  /** One that has not looked at the server. */
  const another = () => db.query(`insert into replicas (replica_id, mended) values ('${OTHER}', 'one')`);

  test("is used at once if the last look is less than 6 s old, whatever the others remember", async () => {
    const replica = start();
    await replica.round();
    await another();
    server = { ...server, id: "two" };
    await replica.round(TIMES.bound - 1);
    expect([history.isHeld, replica.lease.isHeld()]).toEqual([false, true]);
  });

  test("is used after a longer time only when the others have looked at it", async () => {
    const replica = start();
    await replica.round();
    await another();
    server = { ...server, id: "two" };
    await replica.round(TIMES.bound);
    expect([history.isHeld, replica.lease.isHeld()]).toEqual([true, false]);
    expect(history.newest).not.toBe(history.asked);
    await replica.round();
    expect(history.isHeld).toBe(true);
    const [{ here } = {}] = await db.query("select extract(epoch from pg_postmaster_start_time())::text as here");
    await db.query("update replicas set mended = $1 where replica_id = $2", [here, OTHER]);
    await replica.round();
    expect([history.isHeld, replica.lease.isHeld()]).toEqual([false, true]);
  });

  test("is used by a process without memory only then, too, and when a dead one was removed", async () => {
    await another();
    const replica = start();
    await replica.round();
    expect(history.isHeld).toBe(true);
    for (let n = 0; n < 8 && history.isHeld; n++) await replica.round(TIMES.renewal);
    expect([history.isHeld, (await rows()).length]).toEqual([false, 1]);
  });
});
