import type { Kysely } from "kysely";
import type { Act } from "../../../domain/audit/event.ts";
import type { PromisedState } from "../../../domain/lost-changes/promised-state.ts";
import { auditedMember } from "../../../domain/orgs/audited-member.ts";
import type { Member, Membership, NewOrganization, Organization } from "../../../domain/orgs/org.ts";
import { OWNER } from "../../../domain/orgs/org.ts";
import type { DecideMember, OrgStore } from "../../../domain/orgs/org-store.ts";
import type { UserKey } from "../../../domain/tokens/user-key.ts";
import type { Clock } from "../../../domain/vocabulary/clock.ts";
import type { Page, PageRequest } from "../../../domain/vocabulary/page.ts";
import type { Invalidation } from "../../replicas/invalidation.ts";
import { userSubject } from "../../replicas/subjects.ts";
import { recordChange } from "../audit/audit-rows.ts";
import { createBatches } from "../driver/batches.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { ofTenant, ofUser } from "../driver/list-turns.ts";
import { type SqlNow, sqlNow } from "../driver/now.ts";
import { offsetOf } from "../driver/paging.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import { claimCall } from "../idempotency/idempotent-calls.ts";
import { changeBound, NO_CACHE } from "../replicas/bound-change.ts";
import type { Schema } from "../schema.ts";
import { endInvitationsOf } from "./invitation-makers.ts";
import { findOffer } from "./invitation-offers.ts";
import {
  acceptInvitation,
  findInvitation,
  insertInvitation,
  listInvitations,
  revokeInvitation,
} from "./invitation-rows.ts";
import {
  findMember,
  findMemberships,
  isUser,
  listMemberships,
  MEMBER_COLUMNS,
  memberOf,
  requireRoom,
} from "./member-rows.ts";

/** Organizations in SQL. Uses `database.db` outside transactions only. `clock` is for tests. */
export function createOrgStore(database: SqlDatabase, invalidation: Invalidation = NO_CACHE, clock?: Clock): OrgStore {
  const { db, history, lists } = database;
  const now = sqlNow(clock);
  const findInBatch = createBatches((userIds: readonly string[]) => findMemberships(database, userIds));
  /** For changes that give rights, or none. */
  const bound = <Result>(user: UserKey, work: (trx: Kysely<Schema>) => Promise<Result>): Promise<Result> =>
    translateOutage(() =>
      changeBound(db, invalidation, userSubject(user.userId), async (trx) => ({
        result: await work(trx),
        state: null,
      })),
    );

  return {
    findMemberships: (userId) => translateOutage(() => findInBatch("", userId)),
    createOrg: (org, owner, email, clientOrgId, act) =>
      bound(owner, (trx) => createOrg(trx, org, owner, email, clientOrgId, now, act)),
    findOrg: (tenantId) => translateOutage(() => findOrg(db, tenantId)),
    renameOrg: (tenantId, name, act) =>
      translateOutage(() => db.transaction().execute((trx) => renameOrg(trx, tenantId, name, act))),
    listMemberships: (user, page) =>
      translateOutage(() => lists(ofUser(user), (reader) => listMemberships(reader, user, page))),
    switchOrg: (user, orgId, act) => bound(user, (trx) => switchOrg(trx, user, orgId, now, act)),
    listMembers: (tenantId, page) =>
      translateOutage(() => lists(ofTenant(tenantId), (reader) => listMembers(reader, tenantId, page))),
    changeMember: (tenantId, user, decide, act) =>
      translateOutage(() =>
        changeBound(db, invalidation, userSubject(user.userId), async (trx) => {
          const changed = await changeMember(trx, tenantId, user, decide, now, act);
          if (changed === undefined) return { result: undefined, state: null };
          const { issuer, userId } = changed.member;
          const state: PromisedState = { kind: "member", tenantId, issuer, userId, role: changed.role };
          return { result: changed.member, state, requestId: act.requestId };
        }),
      ),
    insertInvitation: (org, invitation, tokenHash, act, call) =>
      translateOutage(() =>
        db.transaction().execute(async (trx) => {
          await claimCall(trx, history, call, invitation.invitationId, now());
          await insertInvitation(trx, org, invitation, tokenHash, act);
        }),
      ),
    findInvitation: ({ orgId }, invitationId) => translateOutage(() => findInvitation(db, orgId, invitationId)),
    listInvitations: ({ orgId, tenantId }, page) =>
      translateOutage(() => lists(ofTenant(tenantId), (reader) => listInvitations(reader, orgId, page))),
    revokeInvitation: (org, invitationId, decide, act) =>
      translateOutage(() => db.transaction().execute((trx) => revokeInvitation(trx, org, invitationId, decide, act))),
    findOffer: (tokenHash, user) => translateOutage(() => findOffer(db, tokenHash, user)),
    acceptInvitation: (tokenHash, user, decide, act) =>
      bound(user, (trx) => acceptInvitation(trx, tokenHash, user, decide, now, act)),
  };
}

const ORG_COLUMNS = ["org_id", "tenant_id", "name", "created_at"] as const;

interface OrgRow {
  readonly org_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly created_at: Date;
}

function orgOf({ org_id, tenant_id, name, created_at }: OrgRow): Organization {
  return { orgId: org_id, tenantId: tenant_id, name, createdAt: created_at };
}

/** The first call with a `clientOrgId` inserts the request; others wait for its commit, and find it. */
async function createOrg(
  trx: Kysely<Schema>,
  org: NewOrganization,
  owner: UserKey,
  email: string,
  clientOrgId: string | null,
  now: SqlNow,
  act: Act,
): Promise<Organization> {
  if (clientOrgId !== null) {
    const key = { issuer: owner.issuer, user_id: owner.userId, client_org_id: clientOrgId };
    const { numInsertedOrUpdatedRows: inserted = 0n } = await trx
      .insertInto("org_requests")
      .values({ ...key, org_id: org.orgId })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (inserted === 0n) {
      const row = await trx
        .selectFrom("org_requests")
        .innerJoin("orgs", "orgs.org_id", "org_requests.org_id")
        .select(["orgs.org_id", "tenant_id", "name", "created_at"])
        .where("issuer", "=", key.issuer)
        .where("user_id", "=", key.user_id)
        .where("client_org_id", "=", clientOrgId)
        .executeTakeFirstOrThrow();
      return orgOf(row);
    }
  }
  await requireRoom(trx, owner, org.orgId);
  const row = await trx
    .insertInto("orgs")
    .values({ org_id: org.orgId, tenant_id: org.tenantId, name: org.name, created_at: now() })
    .returning(ORG_COLUMNS)
    .executeTakeFirstOrThrow();
  await trx
    .insertInto("org_members")
    .values({
      org_id: org.orgId,
      issuer: owner.issuer,
      user_id: owner.userId,
      role: OWNER,
      email,
      created_at: row.created_at,
      current_at: row.created_at,
    })
    .execute();
  const after = { name: org.name, ...auditedMember({ ...owner, role: OWNER }) };
  await recordChange(trx, act, { tenantId: org.tenantId, targetId: org.orgId }, { after });
  return orgOf(row);
}

async function findOrg(db: Kysely<Schema>, tenantId: string): Promise<Organization | undefined> {
  const row = await db.selectFrom("orgs").select(ORG_COLUMNS).where("tenant_id", "=", tenantId).executeTakeFirst();
  return row && orgOf(row);
}

async function renameOrg(
  trx: Kysely<Schema>,
  tenantId: string,
  name: string,
  act: Act,
): Promise<Organization | undefined> {
  const before = await lockOrg(trx, tenantId);
  if (before === undefined) return undefined;
  await trx.updateTable("orgs").set({ name }).where("tenant_id", "=", tenantId).execute();
  const target = { tenantId, targetId: before.orgId };
  await recordChange(trx, act, target, { before: { name: before.name }, after: { name } });
  return { ...before, name };
}

/** Changes of an organization and its members are made one after another. */
async function lockOrg(trx: Kysely<Schema>, tenantId: string): Promise<Organization | undefined> {
  const row = await trx
    .selectFrom("orgs")
    .select(ORG_COLUMNS)
    .where("tenant_id", "=", tenantId)
    .forUpdate()
    .executeTakeFirst();
  return row && orgOf(row);
}

/** Being the current one is not a state of the organization's: the trail has that the user switched, not from which one. */
async function switchOrg(
  trx: Kysely<Schema>,
  user: UserKey,
  orgId: string,
  now: SqlNow,
  act: Act,
): Promise<Membership | undefined> {
  const row = await trx
    .updateTable("org_members")
    .set({ current_at: now() })
    .where("org_id", "=", orgId)
    .where("removed_at", "is", null)
    .where(isUser(user))
    .returning("role")
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const found = await trx.selectFrom("orgs").select(ORG_COLUMNS).where("org_id", "=", orgId).executeTakeFirstOrThrow();
  const { tenantId, name } = orgOf(found);
  await recordChange(trx, act, { tenantId, targetId: orgId }, { after: { current: true } });
  return { orgId, tenantId, name, role: row.role, isCurrent: true };
}

async function listMembers(db: Kysely<Schema>, tenantId: string, page: PageRequest): Promise<Page<Member>> {
  const members = db
    .selectFrom("org_members")
    .innerJoin("orgs", "orgs.org_id", "org_members.org_id")
    .where("orgs.tenant_id", "=", tenantId)
    .where("org_members.removed_at", "is", null);
  const { total } = await members.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  const rows = await members
    .select(["org_members.issuer", "org_members.user_id", "role", "email", "org_members.created_at"])
    .orderBy("org_members.created_at")
    .orderBy("org_members.user_id")
    .limit(page.perPage)
    .offset(offsetOf(page))
    .execute();
  return { items: rows.map(memberOf), total };
}

/** Returns the new role, too; null: removed. The organization's row is locked, so that two changes never each leave the other's owner as the last one. */
async function changeMember(
  trx: Kysely<Schema>,
  tenantId: string,
  user: UserKey,
  decide: DecideMember,
  now: SqlNow,
  act: Act,
): Promise<{ readonly member: Member; readonly role: string | null } | undefined> {
  const org = await lockOrg(trx, tenantId);
  const row = org && (await findMember(trx, org.orgId, user));
  if (org === undefined || row === undefined) return undefined;
  const { owners } = await trx
    .selectFrom("org_members")
    .select((eb) => eb.fn.countAll<number>().as("owners"))
    .where("org_id", "=", org.orgId)
    .where("role", "=", OWNER)
    .where("removed_at", "is", null)
    .executeTakeFirstOrThrow();
  const change = decide(memberOf(row), owners);
  const changed = await trx
    .updateTable("org_members")
    .set(change.kind === "remove" ? { removed_at: now() } : { role: change.role })
    .where("org_id", "=", org.orgId)
    .where("user_id", "=", row.user_id)
    .where("issuer", "=", row.issuer)
    .returning(MEMBER_COLUMNS)
    .executeTakeFirstOrThrow();
  if (change.kind === "remove") {
    await endInvitationsOf(trx, org.orgId, { issuer: row.issuer, userId: row.user_id }, now);
  }
  const before = auditedMember(memberOf(row));
  const after = change.kind === "remove" ? undefined : auditedMember(memberOf(changed));
  await recordChange(trx, act, { tenantId, targetId: row.user_id }, { before, after });
  return { member: memberOf(changed), role: change.kind === "remove" ? null : change.role };
}
