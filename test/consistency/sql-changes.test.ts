import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import { openSharedDatabase, type SharedDatabase } from "./database.ts";
import type { Stores } from "./stores.ts";

/** Changes by an operator's SQL have no mark: replicas find them in the change log, which a trigger writes. */

const LOOKS = { timeout: 10_000, interval: 10 };

let database: SharedDatabase;
const clients: pg.Client[] = [];

beforeEach(async () => {
  database = await openSharedDatabase();
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
  await database.close();
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  clients.push(client);
  return client;
}

async function revoke(client: pg.Client, { record }: NewKey): Promise<void> {
  await client.query("update api_keys set revoked_at = now() where key_id = $1", [record.keyId]);
}

async function cachedKey(stores: Stores): Promise<NewKey> {
  const key = await database.storedKey();
  const isHit = async () => {
    const { reads } = stores;
    const { status } = await stores.verify(key);
    return `${status} ${stores.reads - reads}`;
  };
  await expect.poll(isHit, LOOKS).toBe("active 0");
  return key;
}

const statusOf = (stores: Stores, key: NewKey) => async () => (await stores.verify(key)).status;

/** Two keys are revoked, of which the one that comes first in the list is committed last, after the other was seen. */
async function revokeInReverse(stores: Stores): Promise<NewKey> {
  const [late, early] = [await cachedKey(stores), await cachedKey(stores)];
  const [first, second] = [await connect(), await connect()];
  await first.query("begin");
  await revoke(first, late);
  await revoke(second, early);
  await expect.poll(statusOf(stores, early), LOOKS).toBe("revoked");
  expect(await statusOf(stores, late)()).toBe("active");
  await first.query("commit");
  return late;
}

const tenantStatusOf = (stores: Stores, key: NewKey) => async () => (await stores.verify(key)).tenantStatus;

async function suspend(client: pg.Client, { record }: NewKey): Promise<void> {
  await client.query("insert into tenant_suspensions (tenant_id, reason) values ($1, 'by hand')", [record.tenantId]);
}

describe("a change by SQL binds with the next look", () => {
  test("of a cached key", async () => {
    const stores = await database.open();
    const key = await cachedKey(stores);
    await revoke(await connect(), key);
    await expect.poll(statusOf(stores, key), LOOKS).toBe("revoked");
  });

  test("of a cached tenant: suspended, its suspension given to another tenant, and all suspensions truncated", async () => {
    const stores = await database.open();
    const [key, other] = [await cachedKey(stores), await cachedKey(stores)];
    const client = await connect();
    await suspend(client, key);
    await expect.poll(tenantStatusOf(stores, key), LOOKS).toBe("suspended");
    expect(await tenantStatusOf(stores, other)()).toBe("active");
    await client.query("update tenant_suspensions set tenant_id = $1", [other.record.tenantId]);
    await expect.poll(tenantStatusOf(stores, other), LOOKS).toBe("suspended");
    await expect.poll(tenantStatusOf(stores, key), LOOKS).toBe("active");
    await client.query("truncate tenant_suspensions");
    await expect.poll(tenantStatusOf(stores, other), LOOKS).toBe("active");
  });

  test("although a change with a higher number was committed, and seen, before it", async () => {
    const stores = await database.open();
    const key = await revokeInReverse(stores);
    await expect.poll(statusOf(stores, key), LOOKS).toBe("revoked");
  });

  test("unlike where the list is read from the last number on: then never", async () => {
    const stores = await database.open({ protocol: "listBySequence" });
    const key = await revokeInReverse(stores);
    // Several looks later, as another change shows.
    const another = await cachedKey(stores);
    await revoke(await connect(), another);
    await expect.poll(statusOf(stores, another), LOOKS).toBe("revoked");
    expect(await statusOf(stores, key)()).toBe("active");
  });
});
