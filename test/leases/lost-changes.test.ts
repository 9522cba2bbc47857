// promise: keys.failover
import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { CHANGE_RESTORED } from "../../src/domain/audit/event.ts";
import type { NewKey, StoredChange } from "../../src/domain/keys/key-change.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { loadPolicies } from "../../src/interceptors/policies.ts";
import type { Invalidation } from "../../src/store/replicas/invalidation.ts";
import { type LostChange, PromisedChanges } from "../../src/store/replicas/promised-changes.ts";
import { createAccessTokenStore } from "../../src/store/sql/access-tokens/access-token-store.ts";
import { createRuleStates } from "../../src/store/sql/access-tokens/rule-states.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createErasureStore } from "../../src/store/sql/erasures/erasure-store.ts";
import { createRuleStore } from "../../src/store/sql/federation/rule-store.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { createOrgStore } from "../../src/store/sql/orgs/org-store.ts";
import { createReplicaTable } from "../../src/store/sql/replicas/replica-rows.ts";
import { createRestoreChanges } from "../../src/store/sql/replicas/restore-changes.ts";
import { createTenantStore } from "../../src/store/sql/tenants/tenant-store.ts";
import { ACT } from "../harness/act.ts";
import { newRule } from "../harness/federation.ts";
import { newAccessToken } from "../harness/new-access-token.ts";
import { SERVICES } from "../harness/services.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";
import { NOW, newInvitation, newKey } from "../store/records.ts";

const AT = new Date("2030-01-31T12:00:00Z");
const MEMBER = { issuer: "https://idp.example", userId: "user-2" };

/** The stores of a database. Changes are marked, so that they are promised. */
function storesOf(database: SqlDatabase) {
  const table = createReplicaTable(database);
  const marking: Invalidation = {
    async beginChange(subject) {
      const { markId } = await table.insertMark(subject);
      return { markId, end: async () => {}, abandon: () => table.deleteMark(markId) };
    },
  };
  return {
    keys: createKeyStore(database, marking),
    tenants: createTenantStore(database, marking),
    tokens: createAccessTokenStore(database, marking),
    rules: createRuleStore(database, marking),
    ruleStates: createRuleStates(database),
    orgs: createOrgStore(database, marking),
    erasures: createErasureStore(database, marking),
  };
}

type Stores = ReturnType<typeof storesOf>;

/** One target for each action. */
interface Target {
  readonly key: NewKey;
  readonly tenantId: string;
  readonly tokenId: string;
  readonly ruleId: string;
}

interface Case {
  readonly change: (stores: Stores, target: Target) => Promise<unknown>;
  /** What decides whether requests are admitted, as a server has it. */
  readonly state: (stores: Stores, target: Target) => unknown;
}

const keyOf = ({ keys }: Stores, { tenantId, key }: Target) => keys.findKey(tenantId, key.record.keyId);

function ofKey(change: StoredChange): Case {
  return {
    change: ({ keys }, { tenantId, key }) => keys.updateKeyUnderLock(tenantId, key.record.keyId, () => change, ACT),
    async state(stores, target) {
      const { revokedAt, disabledAt, expiresAt, permissions } = (await keyOf(stores, target)) ?? {};
      return { revokedAt, disabledAt, expiresAt, permissions };
    },
  };
}

const membership = async ({ orgs }: Stores, { tenantId }: Target) =>
  (await orgs.findMemberships(MEMBER.userId)).memberships
    .filter((own) => own.tenantId === tenantId)
    .map(({ role, isRemoved }) => ({ role, isRemoved }));
const isSuspended = ({ tenants }: Stores, { tenantId }: Target) => tenants.findTenant(tenantId);
const ruleState = ({ ruleStates }: Stores, { ruleId }: Target) => ruleStates.findRuleState(ruleId);

/** The actions that take rights away, and how. */
const TAKES_AWAY: Readonly<Record<string, Case>> = {
  "api_key.revoked": ofKey({ patch: { revokedAt: AT, updatedAt: AT } }),
  "api_key.disabled": ofKey({ patch: { disabledAt: AT, updatedAt: AT } }),
  "api_key.updated": ofKey({ patch: { permissions: ["users:read"], updatedAt: AT } }),
  "api_key.rotated": ofKey({ patch: { expiresAt: AT, rotatedTo: "key_next", updatedAt: AT }, successor: newKey() }),
  "api_key.leaked": ofKey({ patch: { revokedAt: AT, leak: { at: AT, url: null, source: null }, updatedAt: AT } }),
  "tenant.suspended": {
    change: ({ tenants }, { tenantId }) => tenants.setSuspension(tenantId, "a test", ACT),
    state: isSuspended,
  },
  "tenant.erased": {
    change: ({ erasures }, { tenantId }) => erasures.begin({ kind: "tenant", tenantId }, ACT),
    state: isSuspended,
  },
  "user.erased": {
    change: ({ erasures }, { tenantId }) =>
      erasures.begin({ kind: "user", tenantId, userId: MEMBER.userId, issuer: null }, ACT),
    state: membership,
  },
  "token.revoked": {
    change: ({ tokens }, { tenantId, tokenId }) => tokens.revokeToken({ tenantId, keyId: null }, tokenId, ACT),
    state: async ({ tokens }, { tokenId }) => (await tokens.findToken(tokenId))?.revokedAt !== null,
  },
  "federation.rule_updated": {
    change: ({ rules }, { tenantId, ruleId }) => rules.updateRule(tenantId, ruleId, { status: "disabled" }, ACT),
    state: ruleState,
  },
  "federation.rule_deleted": {
    change: ({ rules }, { tenantId, ruleId }) => rules.deleteRule(tenantId, ruleId, ACT),
    state: ruleState,
  },
  "org.member.removed": {
    change: ({ orgs }, { tenantId }) => orgs.changeMember(tenantId, MEMBER, () => ({ kind: "remove" }), ACT),
    state: membership,
  },
  "org.member.role_set": {
    change: ({ orgs }, { tenantId }) =>
      orgs.changeMember(tenantId, MEMBER, () => ({ kind: "role", role: "viewer" }), ACT),
    state: membership,
  },
};

const GIVES = "gives rights, or changes none";
/** Not in the records that replicas cache. It is listed as lost. */
const LISTED = "is listed";
const OTHERS: Readonly<Record<string, string>> = {
  "api_key.created": GIVES,
  "api_key.enabled": GIVES,
  "api_key.exported": GIVES,
  "api_key.imported": GIVES,
  "api_key.policy_set": LISTED,
  "federation.rule_created": GIVES,
  "key_format.created": GIVES,
  // No key that could be admitted has a format that can be deleted.
  "key_format.deleted": GIVES,
  "org.created": GIVES,
  "org.invitation.accepted": GIVES,
  "org.invitation.created": GIVES,
  "org.invitation.revoked": LISTED,
  "org.switched": GIVES,
  "org.updated": GIVES,
  "tenant.resumed": GIVES,
  "token.derived": GIVES,
  "webhook.created": GIVES,
  "webhook.deleted": LISTED,
  "webhook.secret_rotated": LISTED,
  "webhook.updated": LISTED,
};

const ACTIONS = Object.keys(TAKES_AWAY);
const server = inject("postgresUrl");
const opened: SqlDatabase[] = [];
const urls: string[] = [];
const targets = new Map<string, Target>();
let before: Stores;
let after: Stores;
let promoted: SqlDatabase;
let lost: readonly LostChange[];

async function open(url: string): Promise<SqlDatabase> {
  const database = await openDatabase({ kind: "postgres", url, poolSize: 4 });
  opened.push(database);
  return database;
}

async function makeTarget({ keys, tokens, rules, orgs }: Stores): Promise<Target> {
  const tenantId = newId("ten");
  const key = newKey({ tenantId, permissions: ["users:read", "users:write"] });
  const { keyId } = key.record;
  await keys.insertKey(key, ACT);
  const token = newAccessToken({ tenantId, keyId, expiresAt: new Date(Date.now() + 3_600_000) });
  await tokens.addToken(token, ACT);
  const rule = newRule({ tenantId, keyId });
  await rules.insertRule(rule, ACT);
  const org = { orgId: newId("org"), tenantId, name: "A" };
  await orgs.createOrg(org, { issuer: MEMBER.issuer, userId: "owner" }, "", null, ACT);
  const tokenHash = randomBytes(32);
  await orgs.insertInvitation(org, newInvitation({ role: "admin" }), tokenHash, ACT);
  await orgs.acceptInvitation(tokenHash, { ...MEMBER, verifiedEmail: "ben@example.com" }, () => NOW, ACT);
  return { key, tenantId, tokenId: token.tokenId, ruleId: rule.ruleId };
}

beforeAll(async () => {
  const url = await createDatabase(server);
  urls.push(url);
  const database = await open(url);
  await migrateToLatest(database);
  for (const action of ACTIONS) targets.set(action, await makeTarget(storesOf(database)));
  await database.close();

  // A standby that gets nothing of what follows.
  const name = new URL(url).pathname.slice(1);
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${name}_standby template ${name}`);
  await admin.end();
  urls.push(url.replace(name, `${name}_standby`));
  const primary = await open(url);
  before = storesOf(primary);
  for (const action of ACTIONS) await TAKES_AWAY[action]?.change(before, targetOf(action));
  const look = await createReplicaTable(primary).look("00000000-0000-4000-8000-000000000000", null);
  const remembered = new PromisedChanges();
  remembered.add(look.promised, look.nowMs);
  promoted = await open(urls[1] as string);
  after = storesOf(promoted);
  const missing = await createReplicaTable(promoted).findMissing(remembered.ids, []);
  lost = remembered.lost(missing.changeIds, look.nowMs) ?? [];
});
afterAll(async () => {
  for (const database of opened) await database.close();
  for (const url of urls) await dropDatabase(server, url);
});

function targetOf(action: string): Target {
  const target = targets.get(action);
  if (target === undefined) throw new Error("there is a target for each action");
  return target;
}

/** How many events of changes that were made again are about the target. */
async function restoredOf(action: string): Promise<number> {
  const { key, tenantId, tokenId, ruleId } = targetOf(action);
  const events = await promoted.db
    .selectFrom("audit_events")
    .select("target_id")
    .where("action", "=", CHANGE_RESTORED)
    .where("target_id", "in", [key.record.keyId, tenantId, tokenId, ruleId, MEMBER.userId])
    .where("tenant_id", "=", tenantId)
    .execute();
  return events.length;
}

test("each action of the audit trail takes rights away, or has its reason why it need not be made again", () => {
  const actions = [...loadPolicies(SERVICES).values()].flatMap(({ auditAction }) => auditAction ?? []);
  expect([...ACTIONS, ...Object.keys(OTHERS)].toSorted()).toEqual([...new Set(actions)].toSorted());
});

test("a server that lacks all of them lacks one change for each target", () => {
  expect(lost).toHaveLength(ACTIONS.length);
});

describe("a promoted server", () => {
  test.each(ACTIONS)("lacks a change, gets it again, and has it as the old primary had it: %s", async (action) => {
    const { state } = TAKES_AWAY[action] as Case;
    const target = targetOf(action);
    const had = await state(before, target);
    expect(await state(after, target)).not.toEqual(had);
    const { tenantId } = target;
    const [change, ...others] = lost.filter(({ promise }) => JSON.stringify(promise?.state).includes(tenantId));
    expect(others).toEqual([]);
    // Several replicas at once.
    const { restore } = createRestoreChanges(promoted);
    const outcomes = await Promise.all([1, 2, 3].map(() => restore(change as LostChange)));
    expect(outcomes.toSorted()).toEqual(["already", "already", "restored"]);
    expect(await state(after, target)).toEqual(had);
    expect(await restore(change as LostChange)).toBe("already");
    // The event of an erasure comes at its end.
    expect(await restoredOf(action)).toBe(action.endsWith("erased") ? 0 : 1);
  });

  test("gets the id of a change of a key that it does not have, so that it lacks nothing more", async () => {
    const key = newKey();
    await before.keys.insertKey(key, ACT);
    const { tenantId, keyId } = key.record;
    await before.keys.updateKeyUnderLock(tenantId, keyId, () => ({ patch: { revokedAt: AT } }), ACT);
    const look = await createReplicaTable(opened[1] as SqlDatabase).look("00000000-0000-4000-8000-000000000000", null);
    const gone = look.promised.find(({ promise }) => JSON.stringify(promise?.state).includes(keyId));
    if (gone === undefined) throw new Error("the change was promised");
    const { changeId, madeMs, promise } = gone;
    const change = { changeIds: [changeId], requestIds: [], madeMs, promise };
    for (const outcome of ["nothing", "already"])
      expect(await createRestoreChanges(promoted).restore(change)).toBe(outcome);
    const { changeIds } = await createReplicaTable(promoted).findMissing([changeId], []);
    expect([...changeIds]).toEqual([]);
    expect(await after.keys.findKey(tenantId, keyId)).toBeUndefined();
  });

  test("does not get back what a later change gave: a key that was disabled, then enabled", async () => {
    const key = newKey();
    const { tenantId, keyId } = key.record;
    for (const { keys } of [before, after]) await keys.insertKey(key, ACT);
    for (const disabledAt of [AT, null])
      await before.keys.updateKeyUnderLock(tenantId, keyId, () => ({ patch: { disabledAt } }), ACT);
    const look = await createReplicaTable(opened[1] as SqlDatabase).look("00000000-0000-4000-8000-000000000000", null);
    const remembered = new PromisedChanges();
    remembered.add(look.promised, look.nowMs);
    const { changeIds } = await createReplicaTable(promoted).findMissing(remembered.ids, []);
    const [change, ...others] = remembered.lost(changeIds, look.nowMs) ?? [];
    expect([change?.changeIds.length, others]).toEqual([2, []]);
    expect(await createRestoreChanges(promoted).restore(change as LostChange)).toBe("nothing");
    expect((await after.keys.findKey(tenantId, keyId))?.disabledAt).toBeNull();
  });
});
