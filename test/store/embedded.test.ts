import { execFile } from "node:child_process";
import fs, { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import { cacheAccessTokens, cacheTenants } from "../../src/store/replicas/cached-reads.ts";
import { createRecordCache } from "../../src/store/replicas/record-cache.ts";
import { createSoleProcessInvalidation } from "../../src/store/replicas/sole-process.ts";
import { createAccessTokenStore } from "../../src/store/sql/access-tokens/access-token-store.ts";
import { createRuleStates } from "../../src/store/sql/access-tokens/rule-states.ts";
import { createAuditTrail } from "../../src/store/sql/audit/audit-trail.ts";
import { createConversationStore } from "../../src/store/sql/conversations/conversation-store.ts";
import { createRunQueue } from "../../src/store/sql/conversations/run-queue.ts";
import { lockByFile } from "../../src/store/sql/driver/data-dir-lock.ts";
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
import { copyTemplate, openCopy } from "../servers/embedded-template.ts";
import { accessTokenSuite } from "./access-token.suite.ts";
import { conversationStoreSuite } from "./conversation-store.suite.ts";
import type { OpenConversations } from "./conversations.ts";
import { impersonationSuite } from "./impersonation.suite.ts";
import { keyListSuite } from "./key-list.suite.ts";
import { idempotentCallsSuite } from "./key-requests.suite.ts";
import { keyStoreSuite } from "./key-store.suite.ts";
import { keyUsageSuite } from "./key-usage.suite.ts";
import { orgStoreSuite } from "./org-store.suite.ts";
import { NOW, newKey } from "./records.ts";
import { requestLogSuite } from "./request-log.suite.ts";
import { runQueueSuite } from "./run-queue.suite.ts";
import { tenantStoreSuite } from "./tenant-store.suite.ts";
import { usageStoreSuite } from "./usage-store.suite.ts";

let memory: SqlDatabase;
beforeAll(async () => {
  memory = await openCopy(inject("embeddedTemplate"));
});
afterAll(() => memory.close());

accessTokenSuite("PGlite", async (clock) => ({
  tokens: createAccessTokenStore(memory, NO_CACHE, clock),
  database: memory,
}));
accessTokenSuite("PGlite, with the cache", async (clock) => {
  const cache = createRecordCache();
  const tokens = createAccessTokenStore(memory, createSoleProcessInvalidation(cache), clock);
  const cached = cacheAccessTokens(cache, tokens, createRuleStates(memory));
  const findToken = async (tokenId: string) => (await cached.find(tokenId))?.token;
  return { tokens: { ...tokens, findToken }, database: memory };
});
keyStoreSuite("PGlite", async () => createKeyStore(memory));
keyListSuite("PGlite", async () => createKeyStore(memory));
keyUsageSuite("PGlite", async () => createKeyStore(memory));
const openCachedKeys = async () => {
  const cache = createRecordCache();
  const keys = createKeyStore(memory, createSoleProcessInvalidation(cache));
  return { ...keys, ...cache.inFrontOf(keys) };
};
keyStoreSuite("PGlite, with the cache", openCachedKeys);
keyUsageSuite("PGlite, with the cache", openCachedKeys);
const openConversations: OpenConversations = async (clock) => ({
  conversations: createConversationStore(memory, clock),
  queue: createRunQueue(memory, clock),
});
conversationStoreSuite("PGlite", openConversations);
runQueueSuite("PGlite", openConversations);
orgStoreSuite("PGlite", async () => createOrgStore(memory, NO_CACHE, () => NOW));
impersonationSuite("PGlite", async () => createAuditTrail(memory));
idempotentCallsSuite("PGlite", () => memory);
requestLogSuite("PGlite", async () => createRequestLog(memory));
usageStoreSuite("PGlite", async () => ({ keys: createKeyStore(memory), history: createUsageStore(memory) }));
const otherStores = () => ({ keys: createKeyStore(memory), orgs: createOrgStore(memory) });
tenantStoreSuite("PGlite", async () => ({ ...otherStores(), tenants: createTenantStore(memory) }));
tenantStoreSuite("PGlite, with the cache", async () => {
  const cache = createRecordCache();
  const tenants = createTenantStore(memory, createSoleProcessInvalidation(cache));
  return { ...otherStores(), tenants: { ...tenants, ...cacheTenants(cache, tenants) } };
});

describe("the embedded database", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "latchkey-embedded-"));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  test("keeps keys across a restart, in a folder that only its owner can read, and migrates once", async () => {
    const dataDir = join(dir, "deep", "data");
    const key = newKey();
    const first = await openDatabase({ kind: "embedded", dataDir });
    expect(await migrateToLatest(first)).toEqual(Object.keys(MIGRATIONS));
    await createKeyStore(first).insertKey(key, ACT);
    await first.close();
    for (const folder of [dataDir, join(dataDir, "database")])
      expect((await stat(folder)).mode & 0o7777, folder).toBe(0o700);
    const second = await openDatabase({ kind: "embedded", dataDir });
    expect(await migrateToLatest(second)).toEqual([]);
    expect(await createKeyStore(second).findKeyBySecretHash(key.secretHash)).toEqual(key.record);
    await second.close();
  });

  test("only its owner can read the database folder after each start, even if others can read the folder above", async () => {
    await copyTemplate(inject("embeddedTemplate"), dir);
    await chmod(dir, 0o755);
    await chmod(join(dir, "database"), 0o777);
    await (await openDatabase({ kind: "embedded", dataDir: dir })).close();
    expect((await stat(join(dir, "database"))).mode & 0o7777).toBe(0o700);
    expect((await stat(dir)).mode & 0o777).toBe(0o755);
  });

  test("a database folder that others can read, and that this process may not change, is named in the error, with what to do", async () => {
    await copyTemplate(inject("embeddedTemplate"), dir);
    await chmod(join(dir, "database"), 0o755);
    const refused = Object.assign(new Error("EPERM: operation not permitted, chmod"), { code: "EPERM" });
    vi.spyOn(fs, "chmod").mockRejectedValue(refused);
    syncBuiltinESMExports();
    const opening = openDatabase({ kind: "embedded", dataDir: dir });
    await expect(opening).rejects.toThrow(
      /^DATA_DIR \S+ cannot be used: other users can look into \S+\/database, .*\(chown -R\), or set DATA_DIR to /,
    );
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    await (await openDatabase({ kind: "embedded", dataDir: dir })).close();
  });

  test("a second process, and a second opening by another path, get a clear error; later ones can open it", async () => {
    const dataDir = join(dir, "data");
    const alias = join(dir, "alias");
    await copyTemplate(inject("embeddedTemplate"), dataDir);
    const database = await openDatabase({ kind: "embedded", dataDir });
    await symlink(dataDir, alias);
    const refusal =
      /^The data directory .*data is in use\. Stop the process that uses it, or set DATA_DIR .* DATABASE_URL/;
    await expect(openDatabase({ kind: "embedded", dataDir: alias })).rejects.toThrow(refusal);
    expect(await openElsewhere(dataDir)).toMatch(refusal);
    await database.close();
    await database.close();
    expect(await openElsewhere(dataDir)).toBe("opened");
  });

  test("a folder that cannot be created, or is a file, is named in the error, with what to do", async () => {
    const file = join(dir, "file");
    await writeFile(file, "");
    for (const dataDir of [file, join(file, "data")]) {
      await expect(openDatabase({ kind: "embedded", dataDir })).rejects.toThrow(
        /^DATA_DIR .*file.* cannot be used: .*\. Set DATA_DIR to a directory/,
      );
    }
  });

  test.each(["/proc/latchkey", "/proc/latchkey/deep/data"])(
    "%s, whose parent cannot be created, is rejected and not retried for ever",
    async (dataDir) => {
      await expect(openDatabase({ kind: "embedded", dataDir })).rejects.toThrow(/^DATA_DIR \/proc\S+ cannot be used/);
    },
  );

  test("a folder in which no database can be created is named in the error, with what to do", async () => {
    await writeFile(join(dir, "database"), "");
    await expect(openDatabase({ kind: "embedded", dataDir: dir })).rejects.toThrow(
      /^DATA_DIR \S+ has no database that can be opened: its files are damaged, .*\. Set DATA_DIR to a directory/,
    );
  });

  test("a full disk is named in the error", async () => {
    await mkdir(join(dir, "database"));
    await writeFile(join(dir, "database", "PG_VERSION"), "1\n");
    const full = { ...(await fs.statfs(dir)), bavail: 1 };
    vi.spyOn(fs, "statfs").mockResolvedValue(full);
    syncBuiltinESMExports();
    await expect(openDatabase({ kind: "embedded", dataDir: dir })).rejects.toThrow(
      /^DATA_DIR \S+ has no database that can be opened: its disk is full\. Set DATA_DIR to a directory/,
    );
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  test("once closed, it is unavailable and not broken", async () => {
    const database = await openCopy(inject("embeddedTemplate"));
    await database.ping();
    await database.close();
    await expect(database.ping()).rejects.toBeInstanceOf(StoreUnavailable);
  });

  test("a lock file has one holder, is released, and is taken over from a dead process", async () => {
    const lock = await lockByFile(dir);
    await expect(lockByFile(dir)).rejects.toThrow(/is in use.* delete /);
    await lock.release();
    await writeFile(join(dir, "lock"), "1\n");
    await expect(lockByFile(dir)).rejects.toThrow("is in use");
    await writeFile(join(dir, "lock"), `${await deadPid()}\n`);
    await (await lockByFile(dir)).release();
  });
});

async function openElsewhere(dataDir: string): Promise<string> {
  const fixture = join(import.meta.dirname, "fixtures", "open-data-dir.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [fixture, dataDir]);
  return stdout.trim();
}

async function deadPid(): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ["-p", "process.pid"]);
  return stdout.trim();
}
