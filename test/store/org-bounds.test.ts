// promise: orgs.bounds
import { randomBytes, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { NewOrganization } from "../../src/domain/orgs/org.ts";
import type { OrgStore } from "../../src/domain/orgs/org-store.ts";
import type { UserKey } from "../../src/domain/tokens/user-key.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createOrgStore } from "../../src/store/sql/orgs/org-store.ts";
import { ACT } from "../harness/act.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";
import { later, NOW, newInvitation } from "./records.ts";

const ISSUER = "https://login.example";
const PAGE = { page: 1, perPage: 20 };
const FULL = { kind: "failed_precondition", message: expect.stringContaining("1000 organizations") };

const serverUrl = inject("postgresUrl");
let url: string;
let database: SqlDatabase;
let orgs: OrgStore;

beforeAll(async () => {
  url = await copyDatabase(inject("servingTemplate").adminUrl);
  database = await openDatabase({ kind: "postgres", url, poolSize: 4 });
  orgs = createOrgStore(database);
});
afterAll(async () => {
  await database?.close();
  await dropDatabase(serverUrl, url);
});

const newOrg = (): NewOrganization => ({ orgId: newId("org"), tenantId: newId("ten"), name: "Acme" });
const create = (user: UserKey, clientOrgId: string | null = null, org = newOrg()) =>
  orgs.createOrg(org, user, "", clientOrgId, ACT);

/** A user with memberships, as rows. */
async function userIn(organizations: number): Promise<UserKey> {
  const user = { issuer: ISSUER, userId: randomUUID() };
  const numbers = sql`generate_series(1, cast(${organizations} as int)) as n`;
  const id = sql`${user.userId} || n`;
  await sql`insert into orgs (org_id, tenant_id, name, created_at) select ${id}, ${id}, 'Acme', now() from ${numbers}`.execute(
    database.db,
  );
  await sql`
    insert into org_members (org_id, user_id, issuer, role, created_at)
    select ${id}, ${user.userId}, ${ISSUER}, 'owner', now() from ${numbers}`.execute(database.db);
  return user;
}

async function join(user: UserKey, org: NewOrganization): Promise<unknown> {
  const hash = randomBytes(32);
  await orgs.insertInvitation(org, newInvitation(), hash, ACT);
  return orgs.acceptInvitation(hash, { ...user, verifiedEmail: null }, () => NOW, ACT);
}

describe("a user with 1,000 organizations", () => {
  test("creates and joins no further one, and the error says the bound", async () => {
    const user = await userIn(1_000);
    await expect(create(user)).rejects.toMatchObject(FULL);
    const other = await create({ issuer: ISSUER, userId: randomUUID() });
    await expect(join(user, other)).rejects.toMatchObject(FULL);
    expect((await orgs.listMemberships(user, PAGE)).total).toBe(1_000);
  });

  test("has those from which they were removed counted, and may return to one of them", async () => {
    const user = await userIn(999);
    const owner = { issuer: ISSUER, userId: randomUUID() };
    const left = await create(owner);
    await join(user, left);
    await orgs.changeMember(left.tenantId, user, () => ({ kind: "remove" }), ACT);
    await expect(create(user)).rejects.toMatchObject(FULL);
    expect(await join(user, left)).toMatchObject({ orgId: left.orgId });
  });

  test("gets the answer of a creation that is repeated", async () => {
    const user = await userIn(999);
    const first = await create(user, "mine");
    expect(await create(user, "mine")).toEqual(first);
  });

  test("is another user than one of another issuer", async () => {
    const user = await userIn(1_000);
    await create({ ...user, issuer: "https://other.example" });
  });
});

test("of concurrent creations no more succeed than a user has room for", async () => {
  const user = await userIn(997);
  const created = await Promise.allSettled(Array.from({ length: 8 }, () => create(user)));
  expect(created.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  expect((await orgs.listMemberships(user, PAGE)).total).toBe(1_000);
});

describe("a tenant's open invitations", () => {
  async function orgWith(open: number): Promise<NewOrganization> {
    const org = await create({ issuer: ISSUER, userId: randomUUID() });
    await sql`
      insert into org_invitations (invitation_id, org_id, email, role, token_hash, created_at, expires_at)
      select ${org.orgId} || n, ${org.orgId}, 'jo@example.com', 'viewer', sha256(convert_to(${org.orgId} || n, 'UTF8')), ${NOW}, ${later(1)}
      from generate_series(1, cast(${open} as int)) as n`.execute(database.db);
    return org;
  }
  const invite = (org: NewOrganization, createdAt = NOW) =>
    orgs.insertInvitation(org, newInvitation({ createdAt, expiresAt: later(9) }), randomBytes(32), ACT);

  test("are at most 1,000, also of concurrent ones", async () => {
    const org = await orgWith(998);
    const made = await Promise.allSettled([invite(org), invite(org), invite(org), invite(org)]);
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    await expect(invite(org)).rejects.toMatchObject({
      kind: "failed_precondition",
      message: expect.stringContaining("1000 invitations"),
    });
  });

  test("are fewer once one is revoked, accepted or expired", async () => {
    const org = await orgWith(1_000);
    await orgs.revokeInvitation(org, `${org.orgId}1`, () => NOW, ACT);
    await invite(org);
    await expect(invite(org)).rejects.toThrow("1000 invitations");
    await invite(org, later(1));
  });
});

test("a page of memberships has the current one as a request has it", async () => {
  const user = await userIn(30);
  const second = await orgs.listMemberships(user, { page: 2, perPage: 20 });
  expect([second.items.length, second.total, second.items.some(({ isCurrent }) => isCurrent)]).toEqual([10, 30, false]);
  const chosen = second.items[3]?.orgId ?? "";
  await orgs.switchOrg(user, chosen, ACT);
  const again = await orgs.listMemberships(user, { page: 2, perPage: 20 });
  expect(again.items.filter(({ isCurrent }) => isCurrent).map(({ orgId }) => orgId)).toEqual([chosen]);
  expect(await orgs.listMemberships(user, { page: 9, perPage: 20 })).toEqual({ items: [], total: 30 });
});
