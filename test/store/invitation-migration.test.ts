import { sql } from "kysely";
import { afterEach, describe, expect, inject, test } from "vitest";
import { createAuthority } from "../../src/domain/access/authority.ts";
import { acceptInvitation, type InvitationsContext, listInvitations } from "../../src/domain/orgs/invitations.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { MIGRATIONS, migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { createOrgStore } from "../../src/store/sql/orgs/org-store.ts";
import { accessRules } from "../harness/access-rules.ts";
import { ACT } from "../harness/act.ts";
import { dashboardUser } from "../harness/principals.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";

const ISSUER = "https://login.example";
const authority = createAuthority(accessRules());
const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

describe.each(["postgres", "embedded"] as const)("the migration of invitations on %s", (kind) => {
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

  /** As the version before writes it: an invitation, and its event unless it is lost. */
  async function addInvitation({ db }: SqlDatabase, id: string, email: string, maker: string | null): Promise<void> {
    await sql`
      insert into org_invitations (invitation_id, org_id, email, role, token_hash, created_at, expires_at)
      values (${id}, 'org_1', ${email}, 'developer', sha256(convert_to(${id}, 'UTF8')), now(), now() + interval '7 days')`.execute(
      db,
    );
    if (maker === null) return;
    const actor = { kind: "dashboard_user", userId: maker, issuer: ISSUER, keyId: null, operatorToken: null };
    await sql`
      insert into audit_events (event_id, tenant_id, actor, actor_id, action, target_id, changes, request_id)
      values (${`aud_${id}`}, 'ten_1', ${JSON.stringify(actor)}::text::jsonb, ${maker}, 'org.invitation.created', ${id}, '{}', 'r')`.execute(
      db,
    );
  }

  const addMember = ({ db }: SqlDatabase, userId: string, role: string, isRemoved = false) =>
    sql`
      insert into org_members (org_id, user_id, role, issuer, created_at, removed_at)
      values ('org_1', ${userId}, ${role}, ${ISSUER}, now(), ${isRemoved ? sql`now()` : null})`.execute(db);

  function contextOf(database: SqlDatabase): InvitationsContext {
    return { orgs: createOrgStore(database), authority, clock: () => new Date() };
  }

  async function statuses(database: SqlDatabase): Promise<Readonly<Record<string, string>>> {
    const caller = dashboardUser({ tenantId: "ten_1" });
    const { items } = await listInvitations(contextOf(database), caller, { page: 1, perPage: 20 });
    return Object.fromEntries(items.map(({ invitation, status }) => [invitation.invitationId, status]));
  }

  test("finds the makers of open invitations in the audit trail; where there is none, an invitation has ended", async () => {
    const database = await open();
    const before = Object.entries(MIGRATIONS).filter(([name]) => name < "0023");
    await migrateToLatest(database, { migrations: Object.fromEntries(before) });
    await sql`insert into orgs (org_id, tenant_id, name, created_at) values ('org_1', 'ten_1', 'Acme', now())`.execute(
      database.db,
    );
    await addMember(database, "anna", "owner");
    await addMember(database, "removed", "admin", true);
    await addMember(database, "demoted", "viewer");
    await addInvitation(database, "ivt_owner", "ben@example.com", "anna");
    await addInvitation(database, "ivt_removed", "ben@example.com", "removed");
    await addInvitation(database, "ivt_demoted", "ben@example.com", "demoted");
    await addInvitation(database, "ivt_provider", "ben@example.com", "no-member");
    await addInvitation(database, "ivt_unknown", "ben@example.com", null);
    await migrateToLatest(database);
    // As a replica of the version before goes on to make them.
    await addInvitation(database, "ivt_later", "ben@example.com", "anna");
    expect(await statuses(database)).toEqual({
      ...{ ivt_owner: "pending", ivt_removed: "ended", ivt_demoted: "ended" },
      ...{ ivt_provider: "pending", ivt_unknown: "ended", ivt_later: "ended" },
    });
  });

  test("leaves stored addresses as they are, which a user of exactly that address can use", async () => {
    const database = await open();
    await migrateToLatest(database);
    const orgs = createOrgStore(database);
    const owner = { issuer: ISSUER, userId: "anna" };
    await orgs.createOrg({ orgId: "org_1", tenantId: "ten_1", name: "Acme" }, owner, "", null, ACT);
    // The version before stored both with all of Unicode in lower case.
    await addInvitation(database, "inv_kelvin", "kate@example.com", null);
    await addInvitation(database, "inv_umlaut", "j\u00f6@example.com", null);
    await sql`update org_invitations set maker_issuer = ${ISSUER}, maker_id = 'anna', maker_role = 'owner'`.execute(
      database.db,
    );
    const accept = (token: string, userId: string, verifiedEmail: string) =>
      acceptInvitation(contextOf(database), dashboardUser({ userId, verifiedEmail, tenantId: null }), token, ACT);
    const refused = { reason: "insufficient_scope" };
    await expect(accept("inv_kelvin", "thief", "\u212Aate@example.com")).rejects.toMatchObject(refused);
    await expect(accept("inv_umlaut", "thief", "j\u00d6@example.com")).rejects.toMatchObject(refused);
    expect(await accept("inv_kelvin", "kate", "kate@example.com")).toMatchObject({ tenantId: "ten_1" });
    expect(await accept("inv_umlaut", "jo", "j\u00f6@example.com")).toMatchObject({ tenantId: "ten_1" });
  });
});
