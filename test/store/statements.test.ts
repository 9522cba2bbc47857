// promise: conversations.bounds
import { randomBytes, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { UNFINISHED_MAX } from "../../src/domain/conversations/backlog.ts";
import type { ClaimedRun } from "../../src/domain/conversations/conversation.ts";
import type { ConversationStore, RunQueue } from "../../src/domain/conversations/conversation-store.ts";
import type { OrgStore } from "../../src/domain/orgs/org-store.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { createAccessTokenStore } from "../../src/store/sql/access-tokens/access-token-store.ts";
import { createRuleStates } from "../../src/store/sql/access-tokens/rule-states.ts";
import { createConversationStore } from "../../src/store/sql/conversations/conversation-store.ts";
import { createRunQueue } from "../../src/store/sql/conversations/run-queue.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createRuleStore } from "../../src/store/sql/federation/rule-store.ts";
import { createIdempotentCalls } from "../../src/store/sql/idempotency/idempotent-calls.ts";
import { createKeyFormatStore } from "../../src/store/sql/key-formats/format-store.ts";
import { createImportStore } from "../../src/store/sql/keys/key-imports.ts";
import { createKeyRetention } from "../../src/store/sql/keys/key-retention.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { createOrgStore } from "../../src/store/sql/orgs/org-store.ts";
import { createReplicaTable } from "../../src/store/sql/replicas/replica-rows.ts";
import { createTenantStore } from "../../src/store/sql/tenants/tenant-store.ts";
import { ACT } from "../harness/act.ts";
import { newRule } from "../harness/federation.ts";
import { keyFormat } from "../harness/key-format-vectors.ts";
import { newAccessToken } from "../harness/new-access-token.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";
import { blocksOf, copyKey, copyRun, copyThread, type Statement } from "./many-rows.ts";
import { NOW, newInvitation, newKey, newMessage, usesAt } from "./records.ts";
import { onStatements } from "./sent-statements.ts";
import { WITHOUT_TENANT } from "./without-tenant.ts";

const READS = { messages: 1_000, bytes: 1_048_576 };

const serverUrl = inject("postgresUrl");
let url: string;
let database: SqlDatabase;
let conversations: ConversationStore;
let queue: RunQueue;
/** The statements that the server got since the test began. */
let sent: Statement[];

beforeAll(async () => {
  url = await copyDatabase(inject("servingTemplate").adminUrl);
  database = await openDatabase({ kind: "postgres", url });
  conversations = createConversationStore(database);
  queue = createRunQueue(database);
  onStatements(url, ({ sql, parameters }) => void sent.push({ sql: sql.replaceAll(/\s+/g, " ").trim(), parameters }));
});
beforeEach(() => {
  sent = [];
});
afterAll(async () => {
  vi.restoreAllMocks();
  await database.close();
  await dropDatabase(serverUrl, url);
});

async function claim(queue: RunQueue): Promise<ClaimedRun> {
  const run = await queue.claimRun({ token: newId("req"), leaseMs: 60_000 }, READS);
  if (run === undefined) throw new Error("no run was due");
  return run;
}

async function complete(queue: RunQueue, parts: readonly string[]): Promise<void> {
  const run = await claim(queue);
  const reply = { messageId: newId("msg"), parts, usage: null, finishReason: null };
  expect(await queue.completeRun(run.runId, run.leaseToken, reply)).toBe(true);
}

describe("the tenant", () => {
  // threat: E2, X18
  test("is in every statement except a few", async () => {
    const [one, other] = [newKey(), newKey()];
    const { tenantId, keyId } = one.record;
    const uncalled = new Set<string | symbol>();
    const keys = watched(createKeyStore(database), uncalled);
    const retention = watched(createKeyRetention(database), uncalled);
    const replicas = watched(createReplicaTable(database), uncalled);
    const orgs = watched(createOrgStore(database), uncalled);
    const conversations = watched(createConversationStore(database), uncalled);
    const queue = watched(createRunQueue(database), uncalled);
    const tenants = watched(createTenantStore(database), uncalled);
    const tokens = watched(createAccessTokenStore(database), uncalled);
    const calls = watched(createIdempotentCalls(database), uncalled);
    const rules = watched(createRuleStates(database), uncalled);
    const formats = watched(createKeyFormatStore(database), uncalled);
    const imports = watched(createImportStore(database), uncalled);
    const federation = watched(createRuleStore(database), uncalled);

    await keys.insertKey(one, ACT);
    await Promise.all([one, other, one].map(({ secretHash }) => keys.findKeyBySecretHash(secretHash)));
    await keys.findKeyBySecretHash(one.secretHash);
    await keys.findKey(tenantId, keyId);
    await keys.findSecretHash(tenantId, keyId);
    await keys.listKeys(tenantId, { status: "active", now: NOW }, { page: 1, perPage: 20 });
    await calls.findRecord({ callHash: one.secretHash, contentHash: one.secretHash });
    await calls.removeOld();
    await keys.searchKeys({ by: "id", keyId }, { page: 1, perPage: 20 });
    await keys.listIssuers(tenantId);
    await keys.insertKey(newKey({ revokedAt: new Date(0) }), ACT);
    await retention.removeEndedBefore(new Date(1));
    const successor = newKey({ tenantId });
    await keys.updateKeyUnderLock(tenantId, keyId, () => ({ patch: { name: "new" }, successor }), ACT);
    await keys.addUsage(randomUUID(), new Map([[keyId, usesAt(NOW, { successful: 1 })]]));
    await keys.readUsage(tenantId, keyId);
    const replicaId = randomUUID();
    await replicas.register(replicaId);
    const look = await replicas.look(replicaId, null);
    await replicas.findMissing([replicaId], [replicaId]);
    await replicas.acknowledge(replicaId, look);
    await replicas.renew(replicaId, look);
    await replicas.readReplicas();
    await replicas.readName();
    const { questionId } = await replicas.insertUsageQuestion(keyId);
    await replicas.acknowledgeUsage(replicaId, look);
    await replicas.deleteUsageQuestion(questionId);
    await replicas.removeReplica(replicaId, 0);
    await replicas.leave(replicaId);
    const { markId } = await replicas.insertMark(one.secretHash);
    await replicas.deleteMark(markId);
    for (const reason of ["unpaid", null]) await tenants.setSuspension(tenantId, reason, ACT);
    await tenants.findTenant(tenantId);
    const token = newAccessToken({ tenantId, keyId });
    await tokens.addToken(token, ACT);
    await tokens.hasRoom(token);
    await tokens.findToken(token.tokenId);
    await tokens.listTokens({ tenantId, keyId: null }, { after: undefined, perPage: 20 });
    await tokens.revokeToken({ tenantId, keyId }, token.tokenId, ACT);
    await tokens.removeOldTokens();
    await rules.findRuleState(newId("fed"));
    const rule = newRule({ tenantId });
    await formats.insertFormat(keyFormat(), () => {}, ACT);
    await formats.readFormats();
    await formats.deleteFormat("acme", ACT);
    const planned = { ...newKey({ tenantId }), keyFormat: "", publicPart: null, digest: null, hasEnded: false };
    await imports.exportKeys({ after: 0, most: 1 }, ACT);
    await imports.importKeys([{ ...planned, field: "hash" }], {
      ...{ act: ACT, tenantId, now: NOW, refused: 0, isDryRun: false },
      check: () => {},
    });
    await federation.insertRule(rule, ACT);
    await federation.listRules(tenantId);
    await federation.findRule(tenantId, rule.ruleId);
    await federation.findRuleOfAny(rule.ruleId);
    await federation.updateRule(tenantId, rule.ruleId, { name: "new" }, ACT);
    await federation.deleteRule(tenantId, rule.ruleId, ACT);
    await tenants.getTenant(tenantId);
    await tenants.listTenants({ onlySuspended: false }, { page: 1, perPage: 20 });
    await useOrganization(orgs, tenantId);

    const message = newMessage({ tenantId, userId: "anna", clientMessageId: "c-1" });
    const scope = { kind: "user", tenantId, userId: "anna" } as const;
    const { threadId, messageId, conversationKey } = message;
    await conversations.appendMessage(message);
    await conversations.appendMessage({ ...message, runId: newId("run"), messageId: newId("msg") });
    await conversations.listThreads(scope, { page: 1, perPage: 20 });
    await conversations.findThread(scope, { conversationKey, threadId });
    await conversations.readThread(tenantId, threadId, { ...READS, beforeMessageId: messageId });
    await conversations.findUnfinished([threadId]);
    const first = await claim(queue);
    await queue.extendLease(first.runId, first.leaseToken, 1);
    await queue.releaseRun(first.runId, first.leaseToken, { because: "handover", pauseMs: 0 });
    await complete(queue, ["reply"]);
    await conversations.appendMessage(newMessage({ tenantId }));
    const second = await claim(queue);
    await queue.failRun(second.runId, second.leaseToken, "no");
    await queue.countUnfinished();

    expect([...uncalled]).toEqual([]);
    const unnamed = sent.filter((statement) => !namesTenant(statement, tenantId)).map(({ sql }) => sql);
    expect(unnamed.filter((sql) => !WITHOUT_TENANT.some(([known]) => known.test(sql)))).toEqual([]);
    expect(WITHOUT_TENANT.filter(([known]) => !unnamed.some((sql) => known.test(sql)))).toEqual([]);
  });

  function namesTenant({ sql, parameters }: Statement, tenantId: string): boolean {
    if (/^(?:with "\w+" as \()?insert/.test(sql))
      return sql
        .split("insert into")
        .slice(1)
        .every((part) => /^ "\w+" \([^)]*"tenant_id"/.test(part));
    return [...sql.matchAll(/\btenant_id"? = \$(\d+)/g)].some(([, n]) => parameters[Number(n) - 1] === tenantId);
  }
});

test("no transaction sends hints: the server allows that to one at a time, until it is on disk", async () => {
  const hintsAfter = async (work: () => Promise<unknown>) => {
    sent = [];
    await work();
    const lastOf = (statement: RegExp) => sent.findLastIndex(({ sql }) => statement.test(sql));
    await expect.poll(() => lastOf(/pg_notify/)).toBeGreaterThan(lastOf(/^commit/));
  };
  await hintsAfter(() => conversations.appendMessage(newMessage()));
  await hintsAfter(() => complete(queue, ["reply"]));
});

describe("a long conversation", () => {
  const LONG = 1_000;

  test("is read without the parts of the messages that are not returned", async () => {
    const first = newMessage({ parts: [incompressible(32_000)] });
    await conversations.appendMessage(first);
    await complete(queue, [incompressible(32_000)]);
    await copyRun(database, first.runId, LONG / 2);
    sent = [];
    const state = await conversations.readThread(first.tenantId, first.threadId, { ...READS, beforeMessageId: null });
    expect(state?.messages).toHaveLength(32);
    const read = sent.find(({ sql }) => sql.includes("newest_first"));
    // The parts of one message are 5 blocks, in a separate table. `explain` does not read the returned values.
    expect(await blocksOf(database, read)).toBeLessThan(4 * LONG);
  });
});

describe("a conversation with the maximum of unfinished messages", () => {
  test("accepts no more until one has its reply, but still finds those it has", async () => {
    const first = newMessage({ clientMessageId: "c-1" });
    const next = (fields = {}) => newMessage({ ...first, runId: newId("run"), messageId: newId("msg"), ...fields });
    await conversations.appendMessage(first);
    await copyRun(database, first.runId, UNFINISHED_MAX - 1);
    const listed = async () =>
      (await conversations.listThreads({ kind: "tenant", tenantId: first.tenantId }, { page: 1, perPage: 9 })).items;
    const before = await listed();
    const refused = await conversations.appendMessage(next({ clientMessageId: "c-2" })).catch((err: unknown) => err);
    expect(refused).toMatchObject({
      kind: "failed_precondition",
      message: expect.stringMatching(/^conversation_key: /),
    });
    expect(await listed()).toEqual(before);
    expect(await conversations.appendMessage(next())).toMatchObject({ runId: first.runId });
    await complete(queue, ["reply"]);
    expect(await conversations.appendMessage(next({ clientMessageId: "c-2" }))).toBeUndefined();
    await expect(conversations.appendMessage(next({ clientMessageId: null }))).rejects.toThrow(
      `${UNFINISHED_MAX} messages`,
    );
    const other = next({ conversationKey: "other", threadId: newId("thr"), clientMessageId: null });
    expect(await conversations.appendMessage(other)).toBeUndefined();
    // All tenants share one queue, and the runs of other tests come after these.
    await sql`update runs set status = 'failed' where status = 'queued'`.execute(database.db);
  });
});

test("a backend finds its own conversation without reading those of its users with the same key", async () => {
  const { tenantId, conversationKey, threadId, ...message } = newMessage();
  await conversations.appendMessage({ ...message, tenantId, conversationKey, threadId });
  await complete(queue, ["reply"]);
  await copyThread(database, threadId, 20_000);
  sent = [];
  const found = await conversations.findThread({ kind: "tenant", tenantId }, { conversationKey, threadId: null });
  expect(found).toEqual({ threadId, unfinished: false });
  for (const statement of [...sent]) expect(await blocksOf(database, statement)).toBeLessThan(60);
});

describe("a long list", () => {
  test("is read page by page without looking up the usage of skipped keys", async () => {
    const key = newKey();
    const { tenantId } = key.record;
    await createKeyStore(database).insertKey(key, ACT);
    await copyKey(database, key.record.keyId, 5_000);
    sent = [];
    const page = { page: 50, perPage: 100 };
    const { items, total } = await createKeyStore(database).listKeys(tenantId, { status: null, now: NOW }, page);
    expect([items.length, total]).toEqual([100, 5_001]);
    // A look-up in the index of usage would read a block or more for each skipped key.
    for (const statement of [...sent]) expect(await blocksOf(database, statement)).toBeLessThan(2_000);
  });

  test("of the keys with one external_id is read without the tenant's others", async () => {
    const key = newKey({ externalId: "customer 7" });
    const { tenantId } = key.record;
    await createKeyStore(database).insertKey(key, ACT);
    await copyKey(database, key.record.keyId, 10_000);
    sent = [];
    const filter = { status: null, now: NOW, externalId: "customer 7" };
    const { total } = await createKeyStore(database).listKeys(tenantId, filter, { page: 1, perPage: 20 });
    expect(total).toBe(1);
    for (const statement of [...sent]) expect(await blocksOf(database, statement)).toBeLessThan(60);
  });
});

describe("the bytes of a message", () => {
  test.each([
    ["plain", ["hello"]],
    ["many parts", ["a", "", "b c"]],
    ["what is escaped", ['" \\ / \b\f\n\r\t \u0001\u001f\u007f \u2028']],
    ["other alphabets", ["Grüße, 你好, 😀"]],
  ])("are what the database prints: %s", async (_, parts) => {
    const message = newMessage({ parts });
    await conversations.appendMessage(message);
    await complete(queue, parts);
    const { rows } = await sql<{ stored: number; printed: number }>`
      select bytes as stored, octet_length(parts::text) as printed from messages where run_id = ${message.runId}`.execute(
      database.db,
    );
    expect(rows).toHaveLength(2);
    for (const { stored, printed } of rows) expect(stored).toBe(printed);
  });

  test("bound a page, of which the latest message is always one", async () => {
    const { tenantId, threadId, ...message } = newMessage({ parts: ["a".repeat(96)] });
    await conversations.appendMessage({ ...message, tenantId, threadId });
    await complete(queue, ["b".repeat(96)]);
    const pages = () =>
      Promise.all(
        [1, 199, 200].map(async (bytes) => {
          const state = await conversations.readThread(tenantId, threadId, { ...READS, bytes, beforeMessageId: null });
          return state?.messages.length;
        }),
      );
    expect(await pages()).toEqual([1, 1, 2]);
  });
});

/** Calls every method of the store. */
async function useOrganization(orgs: OrgStore, tenantId: string): Promise<void> {
  const owner = { issuer: "https://login.example", userId: "anna" };
  const page = { page: 1, perPage: 20 };
  const org = { orgId: newId("org"), tenantId, name: "Acme" };
  for (let n = 0; n < 2; n++) await orgs.createOrg(org, owner, "anna@example.com", tenantId, ACT);
  await orgs.findOrg(tenantId);
  await orgs.renameOrg(tenantId, "Acme 2", ACT);
  await orgs.findMemberships(owner.userId);
  await orgs.listMemberships(owner, page);
  await orgs.switchOrg(owner, org.orgId, ACT);
  await orgs.listMembers(tenantId, page);
  await orgs.changeMember(tenantId, owner, () => ({ kind: "role", role: "owner" }), ACT);
  const invitation = newInvitation();
  const hash = randomBytes(32);
  await orgs.insertInvitation(org, invitation, hash, ACT);
  await orgs.listInvitations(org, page);
  await orgs.findInvitation(org, invitation.invitationId);
  await orgs.findOffer(hash, { ...owner, userId: "ben" });
  await orgs.acceptInvitation(hash, { ...owner, userId: "ben", verifiedEmail: null }, () => NOW, ACT);
  await orgs.revokeInvitation(org, invitation.invitationId, () => NOW, ACT);
}

function incompressible(bytes: number): string {
  return randomBytes(bytes).toString("base64").slice(0, bytes);
}

/** Wraps a store: each call removes its method's name from `uncalled`. */
function watched<Store extends object>(store: Store, uncalled: Set<string | symbol>): Store {
  for (const method of Object.keys(store)) uncalled.add(method);
  return new Proxy(store, {
    get(target, method, receiver) {
      uncalled.delete(method);
      return Reflect.get(target, method, receiver);
    },
  });
}
