import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openDatabase, type SqlDatabase } from "../../src/store/sql/database.ts";
import { createKeyStore } from "../../src/store/sql/key-store.ts";
import { migrateToLatest } from "../../src/store/sql/migrate.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";
import { newKey } from "../store/records.ts";
import { type Replica, type ReplicaOptions, startReplica } from "./replica.ts";
import { runTrials } from "./trials.ts";

/** `npm run test:faults` runs the long form. */
const TRIALS = inject("longForm") ? 5_000 : 300;
const NAIVE_TRIALS = 300;
const DISTURBANCES = { readDelayMs: 24, stepDelayMs: 4, evictions: 0.1 };

const redisUrl = inject("redisUrl");
let databaseUrl: string;
let database: SqlDatabase;
const replicas: Replica[] = [];

beforeAll(async () => {
  databaseUrl = await createDatabase(inject("postgresUrl"));
  database = await openDatabase({ kind: "postgres", url: databaseUrl, poolSize: 4 });
  await migrateToLatest(database);
});

afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  await database.close();
  await dropDatabase(inject("postgresUrl"), databaseUrl);
});

async function start(options: Partial<ReplicaOptions> = {}): Promise<Replica> {
  const replica = await startReplica({ databaseUrl, redisUrl, ...options });
  replicas.push(replica);
  return replica;
}

describe("a revocation that was acknowledged binds on every replica", () => {
  test("with cold keys, slow readers, evictions and pauses between its steps", async () => {
    const [revoker, verifier] = await Promise.all([start(DISTURBANCES), start(DISTURBANCES)]);
    const stale = await runTrials(TRIALS, createKeyStore(database), revoker, [verifier]);
    expect(stale).toEqual({ right: 0, later: 0 });
  }, 600_000);

  test("which the same trials find untrue of a cache that deletes its copy after the commit", async () => {
    const naive = { ...DISTURBANCES, protocol: "naive" } as const;
    const [revoker, verifier] = await Promise.all([start(naive), start(naive)]);
    const stale = await runTrials(NAIVE_TRIALS, createKeyStore(database), revoker, [verifier]);
    expect(stale.right).toBeGreaterThan(0);
    expect(stale.later).toBeGreaterThan(0);
  }, 600_000);
});

describe("a process killed in the middle of a revocation", () => {
  test("before the commit leaves the key as it was, and it can be revoked", async () => {
    const [doomed, other] = await Promise.all([start({ dieBefore: "commit" }), start()]);
    const key = newKey();
    await createKeyStore(database).insertKey(key);
    await other.verify(key);
    await expect(doomed.change("revoke", key)).rejects.toThrow("gone");
    await doomed.ended;
    expect((await other.verify(key)).status).toBe("active");
    await other.change("revoke", key);
    expect((await other.verify(key)).status).toBe("revoked");
  });

  test("after the commit, before anybody was told, has revoked it for everybody", async () => {
    // A copy made between begin and commit would be one of the key as it was.
    const [doomed, other] = await Promise.all([start({ dieBefore: "end", stepDelayMs: 500 }), start()]);
    const keys = Array.from({ length: 10 }, () => newKey());
    for (const key of keys) {
      await createKeyStore(database).insertKey(key);
      expect((await other.verify(key)).status).toBe("active");
    }
    let isGone = false;
    const hammering = keys.map(async (key) => {
      while (!isGone) await other.verify(key);
    });
    const changes = await Promise.allSettled(keys.map((key) => doomed.change("revoke", key)));
    await doomed.ended;
    isGone = true;
    await Promise.all(hammering);
    expect(changes.every(({ status }) => status === "rejected")).toBe(true);
    const stored = await Promise.all(
      keys.map(({ record: { tenantId, keyId } }) => createKeyStore(database).findKey(tenantId, keyId)),
    );
    const committed = keys.filter((_, n) => stored[n]?.revokedAt !== null);
    expect(committed.length).toBeGreaterThan(0);
    for (const key of committed) expect((await other.verify(key)).status).toBe("revoked");
  });

  test("which a cache that deletes its copy after the commit does not hold", async () => {
    const [doomed, other] = await Promise.all([
      start({ dieBefore: "end", protocol: "naive" }),
      start({ protocol: "naive" }),
    ]);
    const key = newKey();
    await createKeyStore(database).insertKey(key);
    await other.verify(key);
    await expect(doomed.change("revoke", key)).rejects.toThrow("gone");
    await doomed.ended;
    expect((await other.verify(key)).status).toBe("active");
  });
});
