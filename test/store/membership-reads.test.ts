// promise: hooks.users
import { CompiledQuery, sql } from "kysely";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createOrgStore } from "../../src/store/sql/orgs/org-store.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";
import type { Statement } from "./many-rows.ts";
import { onStatements } from "./sent-statements.ts";

const USERS = 20_000;

const serverUrl = inject("postgresUrl");
let url: string;
let database: SqlDatabase;
beforeAll(async () => {
  url = await copyDatabase(inject("servingTemplate").adminUrl);
  database = await openDatabase({ kind: "postgres", url });
  const numbers = sql`generate_series(1, cast(${USERS} as int)) as n`;
  await sql`insert into orgs (org_id, tenant_id, name, created_at) select 'org_' || n, 'ten_' || n, 'Acme', now() from ${numbers}`.execute(
    database.db,
  );
  await sql`
    insert into org_members (org_id, user_id, issuer, role, created_at)
    select 'org_' || n, 'user ' || n, 'https://login.example', 'owner', now() from ${numbers}`.execute(database.db);
  await sql`vacuum analyze orgs, org_members`.execute(database.db);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await database.close();
  await dropDatabase(serverUrl, url);
});

test("a login hook and a request read a user's memberships in one statement, which uses only indexes", async () => {
  const orgs = createOrgStore(database);
  await orgs.findMemberships("user 1");
  const sent: Statement[] = [];
  onStatements(url, (statement) => void sent.push(statement));
  expect((await orgs.findMemberships("user 77")).memberships).toMatchObject([{ tenantId: "ten_77", role: "owner" }]);
  expect(sent).toHaveLength(1);
  const [{ sql: text, parameters } = { sql: "", parameters: [] }] = sent;
  const { rows } = await database.db.executeQuery<{ "QUERY PLAN": unknown }>(
    CompiledQuery.raw(`explain (format json) ${text}`, [...parameters]),
  );
  const plan = JSON.stringify(rows);
  expect(plan).toContain("org_members_by_user");
  expect(plan).not.toContain("Seq Scan");
});
