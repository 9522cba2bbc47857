import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { ACT } from "../harness/act.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";
import { newKey } from "./records.ts";

const serverUrl = inject("postgresUrl");

async function asAdmin(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

let url: string;
let database: SqlDatabase;

beforeAll(async () => {
  url = await copyDatabase(inject("servingTemplate").adminUrl);
  database = await openDatabase({ kind: "postgres", url });
  await asAdmin(url, "create table failures (code text)");
  await asAdmin(
    url,
    `create function fail() returns trigger language plpgsql as $$ declare failure text := (select code from failures); begin
      if failure is not null then raise exception 'failed' using errcode = failure; end if;
      return null;
    end $$`,
  );
  // When all of the change has been made.
  await asAdmin(url, "create trigger fail after update on api_keys execute function fail()");
});
afterAll(async () => {
  await database.close();
  await dropDatabase(serverUrl, url);
});

// threat: H7
test.each(["40P01", "40001", "53300", "57014"])(
  "a change that PostgreSQL ends with %s has changed nothing, and may be sent again",
  async (code) => {
    const keys = createKeyStore(database);
    const { record, secretHash } = newKey();
    await keys.insertKey({ record, secretHash }, ACT);
    await asAdmin(url, `insert into failures values ('${code}')`);
    const rename = () =>
      keys.updateKeyUnderLock(record.tenantId, record.keyId, () => ({ patch: { name: "new" } }), ACT);
    await expect(rename()).rejects.toMatchObject({ name: "StoreUnavailable", cause: { code } });
    expect((await keys.findKey(record.tenantId, record.keyId))?.name).toBe(record.name);
    await asAdmin(url, "delete from failures");
    expect((await rename())?.name).toBe("new");
  },
);
