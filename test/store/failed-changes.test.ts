import pg from "pg";
import { expect, inject, test } from "vitest";
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

// threat: H7
test.each(["40P01", "40001", "53300", "57014"])(
  "a change that PostgreSQL ends with %s has changed nothing, and may be sent again",
  async (code) => {
    const own = await copyDatabase(inject("servingTemplate").adminUrl);
    const database = await openDatabase({ kind: "postgres", url: own });
    const keys = createKeyStore(database);
    const { record, secretHash } = newKey();
    await keys.insertKey({ record, secretHash }, ACT);
    await asAdmin(own, "create table is_failing (yes boolean)");
    await asAdmin(
      own,
      `create function fail() returns trigger language plpgsql as $$ begin
        if exists (select from is_failing) then raise exception 'failed' using errcode = '${code}'; end if;
        return null;
      end $$`,
    );
    // When all of the change has been made.
    await asAdmin(own, "create trigger fail after update on api_keys execute function fail()");
    await asAdmin(own, "insert into is_failing values (true)");
    const rename = () =>
      keys.updateKeyUnderLock(record.tenantId, record.keyId, () => ({ patch: { name: "new" } }), ACT);
    await expect(rename()).rejects.toMatchObject({ name: "StoreUnavailable", cause: { code } });
    expect((await keys.findKey(record.tenantId, record.keyId))?.name).toBe(record.name);
    await asAdmin(own, "delete from is_failing");
    expect((await rename())?.name).toBe("new");
    await database.close();
    await dropDatabase(serverUrl, own);
  },
);
