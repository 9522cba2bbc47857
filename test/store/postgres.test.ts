// promise: conversations.order, overload.storage
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { createOrg } from "../../src/domain/orgs/create.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import { createAccessTokenStore } from "../../src/store/sql/access-tokens/access-token-store.ts";
import { createAuditTrail } from "../../src/store/sql/audit/audit-trail.ts";
import { createConversationStore } from "../../src/store/sql/conversations/conversation-store.ts";
import { createRunQueue } from "../../src/store/sql/conversations/run-queue.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { MIGRATIONS, migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { createOrgStore } from "../../src/store/sql/orgs/org-store.ts";
import { NO_CACHE } from "../../src/store/sql/replicas/bound-change.ts";
import { createRequestLog } from "../../src/store/sql/requests/request-log.ts";
import { createTenantStore } from "../../src/store/sql/tenants/tenant-store.ts";
import { createUsageStore } from "../../src/store/sql/usage/usage-store.ts";
import { ACT } from "../harness/act.ts";
import { dashboardUser } from "../harness/principals.ts";
import { copyDatabase, createDatabase, dropDatabase } from "../servers/postgres.ts";
import { accessTokenSuite } from "./access-token.suite.ts";
import { commitLevelsSuite, recordCommitLevels } from "./commit-levels.suite.ts";
import { conversationStoreSuite } from "./conversation-store.suite.ts";
import type { OpenConversations } from "./conversations.ts";
import { impersonationSuite } from "./impersonation.suite.ts";
import { keyListSuite } from "./key-list.suite.ts";
import { idempotentCallsSuite } from "./key-requests.suite.ts";
import { keyStoreSuite } from "./key-store.suite.ts";
import { keyUsageSuite } from "./key-usage.suite.ts";
import { orgStoreSuite } from "./org-store.suite.ts";
import { NOW, newKey, newMessage, usesAt } from "./records.ts";
import { requestLogSuite } from "./request-log.suite.ts";
import { runQueueSuite } from "./run-queue.suite.ts";
import { tenantStoreSuite } from "./tenant-store.suite.ts";
import { usageStoreSuite } from "./usage-store.suite.ts";

const serverUrl = inject("postgresUrl");
let url: string;
let database: SqlDatabase;
beforeAll(async () => {
  url = await copyDatabase(inject("servingTemplate").adminUrl);
  database = await openDatabase({ kind: "postgres", url });
  await recordCommitLevels(database);
});
afterAll(async () => {
  await database.close();
  await dropDatabase(serverUrl, url);
});

accessTokenSuite("PostgreSQL", async (clock) => ({
  tokens: createAccessTokenStore(database, NO_CACHE, clock),
  database,
}));
keyStoreSuite("PostgreSQL", async () => createKeyStore(database));
keyListSuite("PostgreSQL", async () => createKeyStore(database));
keyUsageSuite("PostgreSQL", async () => createKeyStore(database));
const openConversations: OpenConversations = async (clock) => ({
  conversations: createConversationStore(database, clock),
  queue: createRunQueue(database, clock),
});
conversationStoreSuite("PostgreSQL", openConversations);
runQueueSuite("PostgreSQL", openConversations);
orgStoreSuite("PostgreSQL", async () => createOrgStore(database, NO_CACHE, () => NOW));
impersonationSuite("PostgreSQL", async () => createAuditTrail(database));
idempotentCallsSuite("PostgreSQL", () => database);
requestLogSuite("PostgreSQL", async () => createRequestLog(database));
usageStoreSuite("PostgreSQL", async () => ({ keys: createKeyStore(database), history: createUsageStore(database) }));
tenantStoreSuite("PostgreSQL", async () => ({
  tenants: createTenantStore(database),
  keys: createKeyStore(database),
  orgs: createOrgStore(database),
}));

describe("uses of keys", () => {
  const keys = () => createKeyStore(database);
  const used = (at: Date) => usesAt(at, { successful: 1 });

  test("counting does not wait for a change of the key", async () => {
    const { record, secretHash } = newKey();
    await keys().insertKey({ record, secretHash }, ACT);
    const changer = new pg.Client({ connectionString: url });
    await changer.connect();
    await changer.query("begin");
    await changer.query("select from api_keys where key_id = $1 for update", [record.keyId]);
    await keys().addUsage(randomUUID(), new Map([[record.keyId, used(NOW)]]));
    await changer.end();
    expect(await keys().readUsage(record.tenantId, record.keyId)).toEqual({ total: 1, successful: 1, failed: 0 });
  });
});

const HOUR_MS = 3_600_000;
afterEach(() => void vi.useRealTimers());

/** Runs it as a replica whose clock is ahead by so much. */
async function aheadBy<T>(ms: number, work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ now: Date.now() + ms, toFake: ["Date"] });
  return work().finally(() => vi.useRealTimers());
}

test("when an organization was created is the database's time, whatever a replica's clock says", async () => {
  const orgs = createOrgStore(database);
  const timeOfDatabase = async () => {
    const { rows } = await sql<{ now: Date }>`select date_trunc('milliseconds', clock_timestamp()) as now`.execute(
      database.db,
    );
    return rows[0]?.now.getTime() ?? Number.NaN;
  };
  const since = await timeOfDatabase();
  const { orgId, createdAt } = await aheadBy(2 * HOUR_MS, () =>
    createOrg({ orgs, areTenantsAdopted: false }, dashboardUser(), { name: "Acme", clientOrgId: null }, ACT),
  );
  expect(createdAt.getTime()).toBeGreaterThanOrEqual(since);
  expect(createdAt.getTime()).toBeLessThanOrEqual(await timeOfDatabase());
  const stored = sql`
    select orgs.created_at, org_members.created_at as owner_since from orgs join org_members using (org_id)
    where org_id = ${orgId}`;
  expect((await stored.execute(database.db)).rows).toEqual([{ created_at: createdAt, owner_since: createdAt }]);
});

describe("the times of conversations", () => {
  test("are the database's, whatever a replica's clock says", async () => {
    const conversations = createConversationStore(database);
    const queue = createRunQueue(database);
    const tenantId = newId("ten");
    const send = (conversationKey: string) =>
      conversations.appendMessage(newMessage({ tenantId, conversationKey, threadId: conversationKey }));
    /** Claims the runs of the suites, too, because all tenants share one queue. */
    const answerAll = async () => {
      const claim = () => queue.claimRun({ token: "token", leaseMs: 60_000 }, { messages: 1, bytes: 1 });
      for (let run = await claim(); run !== undefined; run = await claim()) {
        const reply = { messageId: newId("msg"), parts: ["reply"], usage: null, finishReason: null };
        await queue.completeRun(run.runId, "token", reply);
      }
    };
    await aheadBy(HOUR_MS, () => send("sent ahead"));
    await aheadBy(-HOUR_MS, answerAll);
    await send("sent later");
    const page = { messages: 9, bytes: 999, beforeMessageId: null };
    const state = await conversations.readThread(tenantId, "sent ahead", page);
    const [question, reply] = (state?.messages ?? []).map(({ createdAt }) => createdAt.getTime());
    expect(reply).toBeGreaterThanOrEqual(question ?? Number.NaN);
    const { items } = await conversations.listThreads({ kind: "tenant", tenantId }, { page: 1, perPage: 9 });
    expect(items.map(({ conversationKey }) => conversationKey)).toEqual(["sent later", "sent ahead"]);
  });

  test("are in the order of the messages, however long one waited for its place", async () => {
    const conversations = createConversationStore(database);
    const first = newMessage({ clientMessageId: "c-1" });
    const next = (parts: string[], clientMessageId: string | null = null) =>
      newMessage({ ...first, runId: newId("run"), messageId: newId("msg"), clientMessageId, parts });
    await conversations.appendMessage(first);
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query("begin");
    await holder.query("insert into sent_messages values ($1, $2, 'c-2', 'run_of_the_holder')", [
      first.tenantId,
      first.userId ?? "",
    ]);
    const begunFirst = conversations.appendMessage(next(["begun first"], "c-2"));
    // Not on the connection of the lock's holder: a transaction sees the same activity until it ends.
    const waiting = sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and xact_start < clock_timestamp() - interval '2 milliseconds'`;
    await expect.poll(async () => (await waiting.execute(database.db)).rows.length).toBe(1);
    await conversations.appendMessage(next(["begun later"]));
    await holder.query("rollback");
    await holder.end();
    await begunFirst;
    const page = { messages: 9, bytes: 999, beforeMessageId: null };
    const messages = (await conversations.readThread(first.tenantId, first.threadId, page))?.messages ?? [];
    expect(messages.map(({ parts }) => parts.join())).toEqual(["hello", "begun later", "begun first"]);
    const times = messages.map(({ createdAt }) => createdAt.getTime());
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    const { items } = await conversations.listThreads(
      { kind: "tenant", tenantId: first.tenantId },
      { page: 1, perPage: 9 },
    );
    expect(items.map(({ updatedAt }) => updatedAt.getTime())).toEqual(times.slice(-1));
  });
});

describe("the PostgreSQL database", () => {
  test("replicas that start at once apply each migration once", async () => {
    const fresh = await createDatabase(serverUrl);
    const replicas = await Promise.all(
      Array.from({ length: 4 }, () => openDatabase({ kind: "postgres", url: fresh, poolSize: 2 })),
    );
    const applied = await Promise.all(replicas.map((database) => migrateToLatest(database)));
    expect(applied.flat()).toEqual(Object.keys(MIGRATIONS));
    await Promise.all(replicas.map((replica) => replica.close()));
    await dropDatabase(serverUrl, fresh);
  });

  test("a migration that cannot be applied is named in the error", async () => {
    const fresh = await createDatabase(serverUrl);
    await asAdmin(fresh, "create table runs ()");
    const replica = await openDatabase({ kind: "postgres", url: fresh, poolSize: 2 });
    await expect(migrateToLatest(replica)).rejects.toThrow(
      /^Migration 0001-initial failed and was rolled back: .*runs/,
    );
    await asAdmin(fresh, "drop table runs");
    expect(await migrateToLatest(replica)).toEqual(Object.keys(MIGRATIONS));
    await replica.close();
    await dropDatabase(serverUrl, fresh);
  });

  test.each([
    ["a wrong password", (right: URL) => Object.assign(right, { password: "hunter2%21" })],
    ["no server", (right: URL) => Object.assign(right, { password: "hunter2%21", port: "1" })],
    ["an unknown host", (right: URL) => Object.assign(right, { password: "hunter2%21", hostname: "nowhere.invalid" })],
    ["an unknown database", (right: URL) => Object.assign(right, { pathname: "/missing" })],
  ])("opening with %s is one clear line without the password", async (_, broken) => {
    const brokenUrl = broken(new URL(url));
    const opened = openDatabase({ kind: "postgres", url: brokenUrl.href });
    const { message } = await opened.then(
      () => new Error("it opened"),
      (err: Error) => err,
    );
    expect(message).toMatch(/^The database at postgres:\/\/postgres@\S+ cannot be opened: .+ Check DATABASE_URL\.$/);
    expect(message).not.toContain("hunter2");
    expect(message).not.toContain(brokenUrl.password);
  });

  test.each(["postgres://user:hunter2@", "mysql://user:hunter2@host/db", "hunter2", "postgres://u:hunter2%@host/db"])(
    "an invalid DATABASE_URL is rejected without being repeated: %s",
    async (malformed) => {
      const opened = openDatabase({ kind: "postgres", url: malformed });
      const { message } = await opened.then(
        () => new Error("it opened"),
        (err: Error) => err,
      );
      expect(message).toMatch(/^(DATABASE_URL|The database at)/);
      expect(message).not.toContain("hunter2");
    },
  );

  // threat: H7
  test("killed connections, in use and idle, end neither the process nor later calls", async () => {
    const victim = await openDatabase({ kind: "postgres", url, poolSize: 4 });
    const keys = createKeyStore(victim);
    const key = newKey();
    await keys.insertKey(key, ACT);
    await Promise.all([1, 2, 3].map(() => keys.findKeyBySecretHash(key.secretHash)));
    const inUse = victim.db.transaction().execute(async () => {
      await asAdmin(
        serverUrl,
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = '${new URL(url).pathname.slice(1)}' and application_name = 'latchkey'`,
      );
    });
    await expect(inUse).rejects.toThrow();
    await expect
      .poll(() => Promise.resolve(keys.findKeyBySecretHash(key.secretHash)).catch(String))
      .toEqual(key.record);
    await victim.close();
    await expect
      .poll(() =>
        database
          .ping()
          .then(() => "up")
          .catch(String),
      )
      .toBe("up");
  });

  test("an exhausted pool is not an outage: the probes of the database do not wait behind requests", async () => {
    const exhausted = await openDatabase({ kind: "postgres", url, poolSize: 1 });
    await exhausted.db.transaction().execute(async () => {
      await exhausted.ping();
      await exhausted.checkDiskSpace();
    });
    await exhausted.close();
  });

  test("lists, however many and slow, do not delay a look-up of a key", async () => {
    const keys = createKeyStore(database);
    const key = newKey();
    await keys.insertKey(key, ACT);
    const { tenantId } = key.record;
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query("begin");
    await holder.query("lock table key_usage, threads in access exclusive mode");
    const page = { page: 1, perPage: 20 };
    const listed = Array.from({ length: 20 }, () => [
      keys.listKeys(tenantId, { status: null, now: NOW }, page),
      createConversationStore(database).listThreads({ kind: "tenant", tenantId }, page),
    ]).flat();
    expect(await keys.findKeyBySecretHash(key.secretHash)).toEqual(key.record);
    await holder.end();
    expect((await Promise.all(listed)).map(({ total }) => total)).toEqual(Array(20).fill([1, 0]).flat());
  });

  // threat: H13
  test("a process without file descriptors has no storage until it has some again", async () => {
    const fixture = join(import.meta.dirname, "fixtures", "no-descriptors.ts");
    const command = 'ulimit -n 256; exec "$0" "$1" "$2"';
    const { stdout } = await promisify(execFile)("sh", ["-c", command, process.execPath, fixture, url]);
    expect(stdout.trim()).toBe("answered,StoreUnavailable,answered,answered");
  });

  // threat: H7
  test.each([
    ["that takes no connections", "alter database %d allow_connections false", "55000"],
    ["that its role may not connect to", "revoke connect on database %d from public", "42501"],
    ["that its role may not log in to", "alter role %r nologin", "28000"],
  ])("a database %s any more is unavailable, whatever the server's code", async (_, statement, code) => {
    const url = new URL(await createDatabase(serverUrl));
    const name = url.pathname.slice(1);
    const role = `${name}_role`;
    await asAdmin(serverUrl, `create role ${role} login password 'secret'`);
    const owner = url.href;
    Object.assign(url, { username: role, password: "secret" });
    const victim = await openDatabase({ kind: "postgres", url: url.href });
    await victim.ping();
    await asAdmin(serverUrl, statement.replace("%d", name).replace("%r", role));
    await asAdmin(serverUrl, `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`);
    const unavailable = { name: "StoreUnavailable", cause: { code } };
    await expect.poll(() => victim.ping().catch((err: unknown) => err)).toMatchObject(unavailable);
    await expect(createKeyStore(victim).findKeyBySecretHash(newKey().secretHash)).rejects.toMatchObject(unavailable);
    await victim.close();
    await dropDatabase(serverUrl, owner);
    await asAdmin(serverUrl, `drop role ${role}`);
  });

  test("a bug of ours is not reported as an outage", async () => {
    const keys = createKeyStore(database);
    const key = newKey();
    await keys.insertKey(key, ACT);
    const twice = await keys.insertKey(key, ACT).catch((err: unknown) => err);
    expect(twice).not.toBeInstanceOf(StoreUnavailable);
    expect(twice).toMatchObject({ code: "23505" });
  });
});

async function asAdmin(databaseUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
}

commitLevelsSuite(() => database);
