import { sql } from "kysely";
import { afterEach, describe, expect, inject, test } from "vitest";
import { userStateOf } from "../../src/domain/orgs/user-state.ts";
import { userSubject } from "../../src/store/replicas/subjects.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { MIGRATIONS, migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { createOrgStore } from "../../src/store/sql/orgs/org-store.ts";
import { ACT } from "../harness/act.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";

const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

describe.each(["postgres", "embedded"] as const)("the migration of members on %s", (kind) => {
  async function open(): Promise<SqlDatabase> {
    const serverUrl = inject("postgresUrl");
    const url = kind === "postgres" ? await createDatabase(serverUrl) : undefined;
    if (url !== undefined) cleanUps.push(() => dropDatabase(serverUrl, url));
    const database = await openDatabase(
      url === undefined ? { kind: "embedded", dataDir: "memory://" } : { kind: "postgres", url, poolSize: 2 },
    );
    cleanUps.push(() => database.close());
    return database;
  }

  /** Both as the version before writes them. */
  const addOrg = ({ db }: SqlDatabase) =>
    sql`insert into orgs (org_id, tenant_id, name, created_at) values ('org_1', 'ten_1', 'Acme', now())`.execute(db);
  const addOwner = ({ db }: SqlDatabase, userId: string) =>
    sql`insert into org_members (org_id, user_id, role, created_at) values ('org_1', ${userId}, 'owner', now())`.execute(
      db,
    );

  /** The subjects in the change log, which is empty afterwards. */
  async function changes({ db }: SqlDatabase): Promise<string[]> {
    const { rows } = await sql<{ hash: string }>`
      select encode(secret_hash, 'base64') as hash from key_changes order by seq`.execute(db);
    await sql`delete from key_changes`.execute(db);
    return rows.map(({ hash }) => Buffer.from(hash, "base64").toString("base64url"));
  }

  test("keeps the owners of before, as users of whatever issuer", async () => {
    const database = await open();
    const before = Object.entries(MIGRATIONS).filter(([name]) => name < "0010");
    await migrateToLatest(database, { migrations: Object.fromEntries(before) });
    await addOrg(database);
    await addOwner(database, "anna");
    await migrateToLatest(database);
    const orgs = createOrgStore(database);
    const records = await orgs.findMemberships("anna");
    expect(records.memberships).toMatchObject([{ issuer: "", role: "owner", isRemoved: false }]);
    for (const issuer of ["https://one.example", "https://other.example"]) {
      expect(userStateOf(records, issuer).memberships).toMatchObject([{ tenantId: "ten_1", isCurrent: true }]);
    }
    const anna = { issuer: "https://one.example", userId: "anna" };
    expect(
      await orgs.changeMember("ten_1", anna, (_member, owners) => ({ kind: "role", role: `${owners}` }), ACT),
    ).toEqual(expect.objectContaining({ issuer: "", role: "1" }));
    expect(await orgs.switchOrg(anna, "org_1", ACT)).toMatchObject({ isCurrent: true });
  });

  test("lets the version before it add owners", async () => {
    const database = await open();
    await migrateToLatest(database);
    await addOrg(database);
    await addOwner(database, "anna");
    expect((await createOrgStore(database).findMemberships("anna")).memberships).toMatchObject([{ issuer: "" }]);
  });

  test("logs each change of a member under the subject of the user, whatever their id", async () => {
    const database = await open();
    await migrateToLatest(database);
    const { db } = database;
    await addOrg(database);
    for (const id of ["anna", "auth0|5f7c8ec7", " ", "Grüße, 你好, 😀, e\u0301", "\ufeff'\"\\", "é".repeat(256)]) {
      await addOwner(database, id);
      expect(await changes(database)).toEqual([userSubject(id)]);
      await sql`update org_members set removed_at = now() where user_id = ${id}`.execute(db);
      expect(await changes(database)).toEqual([userSubject(id)]);
      await sql`update org_members set user_id = 'other' where user_id = ${id}`.execute(db);
      expect((await changes(database)).toSorted()).toEqual([userSubject(id), userSubject("other")].toSorted());
      await sql`delete from org_members where user_id = 'other'`.execute(db);
      expect(await changes(database)).toEqual([userSubject("other")]);
    }
  });

  test("counts a TRUNCATE of the members as a gap in the change log", async () => {
    const database = await open();
    await migrateToLatest(database);
    await addOrg(database);
    await addOwner(database, "anna");
    const cutBy = async () => {
      const { rows } = await sql<{ by: string }>`
        select purged_by::text as by from key_changes_watermark`.execute(database.db);
      return rows[0]?.by;
    };
    const before = await cutBy();
    await sql`truncate org_members`.execute(database.db);
    expect(await cutBy()).not.toBe(before);
  });
});
