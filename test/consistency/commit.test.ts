import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { StoreUnavailable } from "../../src/domain/store-unavailable.ts";
import { newKey } from "../store/records.ts";
import { openSharedDatabase, type SharedDatabase } from "./database.ts";
import { stallCommits } from "./stalled-commit.ts";

let database: SharedDatabase;
let admin: pg.Client;

beforeAll(async () => {
  database = await openSharedDatabase();
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
});

afterAll(async () => {
  await admin.end();
  await database.close();
});

test("a commit that ends with its connection acknowledges nothing, and the key can still be revoked", async () => {
  const replica = await database.start();
  const key = newKey();
  await database.keys.insertKey(key);
  const stalled = await stallCommits(admin, 50);
  const change = replica.change("revoke", key);
  change.catch(() => {});
  await stalled.terminate();
  await expect(change).rejects.toThrow();
  expect((await replica.verify(key)).status).toBe("active");
  await stalled.end();
  await replica.change("revoke", key);
  expect((await replica.verify(key)).status).toBe("revoked");
});

test("a change waits for a key that another transaction keeps locked only until the lock timeout", async () => {
  const replica = await database.start();
  const key = newKey();
  await database.keys.insertKey(key);
  const { keyId, tenantId } = key.record;
  await admin.query("begin");
  await admin.query("select from api_keys where key_id = $1 for update", [keyId]);
  const changes = [
    replica.change("revoke", key),
    database.keys.updateKeyUnderLock(tenantId, keyId, () => ({ patch: { revokedAt: new Date() } })),
  ];
  const [remote, local] = await Promise.allSettled(changes);
  expect(remote).toMatchObject({ status: "rejected" });
  expect(local).toMatchObject({ status: "rejected", reason: expect.any(StoreUnavailable) });
  expect((await replica.verify(key)).status).toBe("active");
  await admin.query("rollback");
  await replica.change("revoke", key);
  expect((await replica.verify(key)).status).toBe("revoked");
});
