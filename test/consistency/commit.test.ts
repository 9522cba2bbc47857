import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import { startProxy } from "../servers/cuttable-proxy.ts";
import { openSharedDatabase, type SharedDatabase } from "./database.ts";
import { stallCommits } from "./stalled-commit.ts";
import type { Stores } from "./stores.ts";

/** So that no replica is behind another one, even if it takes longer than 400 ms for a mark. */
const TIMES = { mark: 5_000 };

let database: SharedDatabase;
let admin: pg.Client;
let one: Stores;
let other: Stores;

beforeEach(async () => {
  database = await openSharedDatabase();
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  [one, other] = await Promise.all([database.open({ times: TIMES }), database.open({ times: TIMES })]);
});

afterEach(async () => {
  await admin.end();
  await database.close();
});

async function expectStatus(key: Parameters<Stores["verify"]>[0], status: string): Promise<void> {
  const verified = await Promise.all([one, other].map((stores) => stores.verify(key)));
  expect(verified.map((each) => each.status)).toEqual([status, status]);
}

test("a commit that ends with its connection acknowledges nothing, and the key can still be revoked", async () => {
  const key = await database.storedKey();
  const stalled = await stallCommits(admin, 50);
  const change = one.change("revoke", key);
  change.catch(() => {});
  await stalled.terminate();
  await expect(change).rejects.toThrow(StoreUnavailable);
  await expectStatus(key, "active");
  await stalled.end();
  await one.change("revoke", key);
  await expectStatus(key, "revoked");
});

test("a commit whose answer does not arrive acknowledges nothing, binds on the others, and can be repeated", async () => {
  const url = new URL(database.url);
  const proxy = await startProxy(Number(url.port));
  url.port = String(proxy.port);
  const cutOff = await database.open({ databaseUrl: url.href, times: TIMES });
  const key = await database.storedKey();
  await expectStatus(key, "active");
  const stalled = await stallCommits(admin, 3);
  const change = cutOff.change("revoke", key);
  change.catch(() => {});
  await stalled.begun();
  proxy.cut();
  await expect(change).rejects.toThrow(StoreUnavailable);
  await expect.poll(async () => (await one.verify(key)).status, { interval: 1, timeout: 10_000 }).toBe("revoked");
  // The mark of the change went with the commit: no replica is behind another one.
  await expectStatus(key, "revoked");
  await stalled.end();
  proxy.mend();
  const repeat = () => cutOff.change("revoke", key).then(() => "acknowledged", String);
  await expect.poll(repeat, { timeout: 20_000 }).toBe("acknowledged");
  await expectStatus(key, "revoked");
  await proxy.stop();
});

test("a change waits for a key that another transaction keeps locked only until the lock timeout", async () => {
  const key = await database.storedKey();
  await admin.query("begin");
  await admin.query("select from api_keys where key_id = $1 for update", [key.record.keyId]);
  const changes = await Promise.allSettled([one.change("revoke", key), other.change("disable", key)]);
  for (const change of changes) {
    expect(change).toMatchObject({ status: "rejected", reason: expect.any(StoreUnavailable) });
  }
  await expectStatus(key, "active");
  await admin.query("rollback");
  await one.change("revoke", key);
  await expectStatus(key, "revoked");
  expect((await admin.query("select from key_marks")).rowCount).toBe(0);
});

test("a change that was interrupted for half the life of its mark is not made, because replicas may soon ignore the mark", async () => {
  const key = await database.storedKey();
  await expectStatus(key, "active");
  await admin.query(`
    create function age() returns trigger language plpgsql
      as $$ begin new.marked_at := new.marked_at - interval '31 seconds'; return new; end $$;
    create trigger age before insert on key_marks for each row execute function age()`);
  await expect(one.change("revoke", key)).rejects.toThrow(StoreUnavailable);
  await expectStatus(key, "active");
  await admin.query("drop trigger age on key_marks");
  await one.change("revoke", key);
  await expectStatus(key, "revoked");
});
