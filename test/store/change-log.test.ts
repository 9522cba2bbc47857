import { type RawBuilder, sql } from "kysely";
import { afterEach, describe, expect, inject, test } from "vitest";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { tenantSubject, userSubject } from "../../src/store/replicas/subjects.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { KEY_COLUMNS } from "../../src/store/sql/keys/key-rows.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { ACT } from "../harness/act.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";
import { newKey } from "./records.ts";

/** Ids of tenants and of users, whatever they may be. */
const IDS = ["anna", "auth0|5f7c8ec7", newId("ten"), " ", "Grüße, 你好, 😀, e\u0301", "\ufeff'\"\\", "é".repeat(256)];
const ORG = sql`insert into orgs (org_id, tenant_id, name, created_at) values ('org_1', 'ten_1', 'Acme', now())`;

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

describe.each(["postgres", "embedded"] as const)("the change log on %s", (kind) => {
  async function open(): Promise<SqlDatabase> {
    const serverUrl = inject("postgresUrl");
    const url = kind === "postgres" ? await copyDatabase(inject("servingTemplate").adminUrl) : undefined;
    if (url !== undefined) cleanUps.push(() => dropDatabase(serverUrl, url));
    const database = await openDatabase(
      url === undefined ? { kind: "embedded", dataDir: "memory://" } : { kind: "postgres", url, poolSize: 2 },
    );
    cleanUps.push(() => database.close());
    await migrateToLatest(database);
    return database;
  }

  /** The subjects that a statement logs, in order. */
  async function changes({ db }: SqlDatabase, statement: RawBuilder<unknown>): Promise<string[]> {
    await sql`delete from key_changes`.execute(db);
    await statement.execute(db);
    const { rows } = await sql<{ hash: string }>`
      select encode(secret_hash, 'base64') as hash from key_changes order by seq`.execute(db);
    return rows.map(({ hash }) => Buffer.from(hash, "base64").toString("base64url")).toSorted();
  }

  async function cutBy({ db }: SqlDatabase): Promise<string | undefined> {
    const { rows } = await sql<{ by: string }>`select purged_by::text as by from key_changes_watermark`.execute(db);
    return rows[0]?.by;
  }

  test("has a change of any column of a key's record by SQL", async () => {
    const database = await open();
    const key = newKey();
    await createKeyStore(database).insertKey(key, ACT);
    for (const column of KEY_COLUMNS) {
      const update = sql`update api_keys set ${sql.ref(column)} = ${sql.ref(column)}`;
      expect(await changes(database, update), column).toEqual([key.secretHash]);
    }
  });

  test("has each change of a suspension under the subject of its tenant, whatever the tenant's id, and of both if it is moved", async () => {
    const database = await open();
    for (const id of IDS) {
      const insert = sql`insert into tenant_suspensions (tenant_id, reason) values (${id}, 'x')`;
      expect(await changes(database, insert)).toEqual([tenantSubject(id)]);
      const update = sql`update tenant_suspensions set reason = 'y' where tenant_id = ${id}`;
      expect(await changes(database, update)).toEqual([tenantSubject(id)]);
      const move = sql`update tenant_suspensions set tenant_id = 'other' where tenant_id = ${id}`;
      expect(await changes(database, move)).toEqual([tenantSubject(id), tenantSubject("other")].toSorted());
      const remove = sql`delete from tenant_suspensions where tenant_id = 'other'`;
      expect(await changes(database, remove)).toEqual([tenantSubject("other")]);
    }
  });

  test("has each change of a member under the subject of the user, whatever their id, and of both if the row is moved", async () => {
    const database = await open();
    await ORG.execute(database.db);
    for (const id of IDS) {
      const insert = sql`insert into org_members (org_id, user_id, issuer, role, created_at) values ('org_1', ${id}, '', 'owner', now())`;
      expect(await changes(database, insert)).toEqual([userSubject(id)]);
      const update = sql`update org_members set removed_at = now() where user_id = ${id}`;
      expect(await changes(database, update)).toEqual([userSubject(id)]);
      const move = sql`update org_members set user_id = 'other' where user_id = ${id}`;
      expect(await changes(database, move)).toEqual([userSubject(id), userSubject("other")].toSorted());
      const remove = sql`delete from org_members where user_id = 'other'`;
      expect(await changes(database, remove)).toEqual([userSubject("other")]);
    }
  });

  test.each(["tenant_suspensions", "org_members"])("has a gap where all rows of %s are truncated", async (table) => {
    const database = await open();
    const before = await cutBy(database);
    await sql`truncate ${sql.table(table)}`.execute(database.db);
    expect(await cutBy(database)).not.toBe(before);
  });
});
