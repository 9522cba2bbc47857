// promise: overload.storage
import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { ACT } from "../harness/act.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";
import { newKey } from "./records.ts";

const serverUrl = inject("postgresUrl");
let url: string;
let database: SqlDatabase;
beforeAll(async () => {
  url = await copyDatabase(inject("servingTemplate").adminUrl);
  database = await openDatabase({ kind: "postgres", url });
});
afterAll(async () => {
  await database.close();
  await dropDatabase(serverUrl, url);
});

// threat: H7
test("an exhausted pool, a lock timeout and a closed pool are all StoreUnavailable", async () => {
  const [narrow, exhausted] = await Promise.all([
    openDatabase({ kind: "postgres", url, poolSize: 1 }),
    openDatabase({ kind: "postgres", url, poolSize: 1 }),
  ]);
  const keys = createKeyStore(narrow);
  const { record, secretHash } = newKey();
  await keys.insertKey({ record, secretHash }, ACT);
  const rename = () => keys.updateKeyUnderLock(record.tenantId, record.keyId, () => ({ patch: { name: "new" } }), ACT);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query("begin");
  await holder.query("select 1 from api_keys where key_id = $1 for update", [record.keyId]);
  const behindItself = exhausted.db
    .transaction()
    .execute(async () => createKeyStore(exhausted).findKeyBySecretHash(secretHash));
  const outcomes = await Promise.allSettled([rename(), behindItself]);
  for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: expect.any(StoreUnavailable) });
  // A wait for the pool ends within 3 s, so a retry may succeed then. When a lock ends is unknown.
  expect(outcomes).toMatchObject([{ reason: { retryAfterMs: 0 } }, { reason: { retryAfterMs: 3_000 } }]);
  await holder.query("rollback");
  await holder.end();
  expect((await rename())?.name).toBe("new");
  await Promise.all([narrow.close(), exhausted.close()]);
  await expect(keys.findKeyBySecretHash(secretHash)).rejects.toBeInstanceOf(StoreUnavailable);
  await expect(rename()).rejects.toBeInstanceOf(StoreUnavailable);
});

test("the silence limit ends no statement within the server's time limit, and none of a migration", async () => {
  const slept = (seconds: number) => sql`select pg_sleep(${seconds})`;
  const [allowed, tooLong, migrating] = await Promise.allSettled([
    slept(3.5).execute(database.db),
    slept(10).execute(database.db),
    database.withoutTimeLimits((db) => slept(6).execute(db)),
  ]);
  expect(allowed.status).toBe("fulfilled");
  expect(tooLong).toMatchObject({ reason: { code: "57014" } });
  expect(migrating.status).toBe("fulfilled");
});

test("a reply that arrived while this process was stopped is read, and not treated as silence", async () => {
  const answer = sql`select pg_sleep(1)`.execute(database.db);
  // On another connection, when the statement is under way.
  await database.ping();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
  await expect(answer).resolves.toMatchObject({ rows: [{}] });
});
