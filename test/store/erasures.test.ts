// promise: keys.retention, conversations.retention
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { conversationRemovals } from "../../src/app/parts/conversations.ts";
import type { DatabaseOptions } from "../../src/config/settings.ts";
import { createConversationRetention } from "../../src/store/sql/conversations/conversation-retention.ts";
import { createConversationStore } from "../../src/store/sql/conversations/conversation-store.ts";
import { createRunQueue } from "../../src/store/sql/conversations/run-queue.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";
import { conversationRetentionSuite, RETENTION_PIECE } from "./conversation-retention.suite.ts";
import { erasureStoreSuite } from "./erasure-store.suite.ts";
import { openErasureStores } from "./erasure-stores.ts";
import { keyRetentionSuite } from "./key-retention.suite.ts";
import { newMessage } from "./records.ts";
import { dumpTables } from "./table-dump.ts";
import { tenantErasureSuite } from "./tenant-erasure.suite.ts";
import { userErasureSuite } from "./user-erasure.suite.ts";

const serverUrl = inject("postgresUrl");
let url: string;
let embedded: SqlDatabase;
let postgres: SqlDatabase;

async function opened(options: DatabaseOptions): Promise<SqlDatabase> {
  const database = await openDatabase(options);
  await migrateToLatest(database);
  return database;
}

beforeAll(async () => {
  url = await copyDatabase(inject("servingTemplate").adminUrl);
  embedded = await opened({ kind: "embedded", dataDir: "memory://" });
  postgres = await opened({ kind: "postgres", url });
});
afterAll(async () => {
  await embedded.close();
  await postgres.close();
  await dropDatabase(serverUrl, url);
});

/** The suite of retention comes first: it claims the oldest run of all. */
function suites(name: string, database: () => SqlDatabase): void {
  conversationRetentionSuite(name, async (clock) => ({
    conversations: createConversationStore(database(), clock),
    queue: createRunQueue(database(), clock),
    retention: createConversationRetention(database(), RETENTION_PIECE),
  }));
  keyRetentionSuite(name, database);
  for (const suite of [userErasureSuite, tenantErasureSuite, erasureStoreSuite]) {
    suite(name, async () => openErasureStores(database()));
  }
}

describe("CONVERSATION_DAYS", () => {
  const LONG_AGO = new Date("2001-01-01T00:00:00Z");
  const message = newMessage({ parts: ["of another millennium"] });
  const isThere = async () => (await dumpTables(embedded)).includes("of another millennium");

  beforeAll(async () => {
    await createConversationStore(embedded, () => LONG_AGO).appendMessage(message);
    const queue = createRunQueue(embedded, () => LONG_AGO);
    const run = await queue.claimRun({ token: "lease", leaseMs: 1_000 }, { messages: 1, bytes: 1 });
    await queue.failRun(run?.runId ?? "", "lease", "the model is down");
  });

  test("is the age from which on the worker removes messages, and without it none is removed", async () => {
    expect(conversationRemovals({ conversationDays: null }, embedded)).toEqual([]);
    const [remove = async () => false] = conversationRemovals({ conversationDays: 7 }, embedded);
    expect(await remove(new Date("2001-01-07T00:00:00Z"))).toBe(false);
    expect(await isThere()).toBe(true);
    expect(await remove(new Date("2001-01-09T00:00:00Z"))).toBe(true);
    expect(await isThere()).toBe(false);
  });
});

suites("PGlite", () => embedded);
suites("PostgreSQL", () => postgres);
