import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { createConversationStore } from "../../src/store/sql/conversations/conversation-store.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import type { Hint, Listener } from "../../src/store/sql/driver/hints.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";
import { newMessage } from "./records.ts";

const serverUrl = inject("postgresUrl");
let url: string;
let [here, there]: SqlDatabase[] = [];
let listener: Listener;
let heard: (Hint | "hearing" | "deaf")[];

beforeEach(async () => {
  url = await copyDatabase(inject("servingTemplate").adminUrl);
  const replicas = await Promise.all([1, 2].map(() => openDatabase({ kind: "postgres", url, poolSize: 2 })));
  [here, there] = replicas;
  heard = [];
  listener = replica(here).listen({
    onHint: (hint) => heard.push(hint),
    onChange: (hearing) => heard.push(hearing ? "hearing" : "deaf"),
  });
  await expect.poll(() => heard).toEqual(["hearing"]);
});
afterEach(async () => {
  await listener.close();
  await Promise.all([replica(here).close(), replica(there).close()]);
  await dropDatabase(serverUrl, url);
});

function replica(database: SqlDatabase | undefined): SqlDatabase {
  if (database === undefined) throw new Error("not open");
  return database;
}

const send = (from: SqlDatabase | undefined, hint: Hint) => replica(from).notify(hint);

const asAdmin = (statement: string) => asAdminOf(url, statement);

async function asAdminOf(databaseUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
}

describe("a replica", () => {
  test("receives the hints of another replica, and not its own", async () => {
    send(here, { kind: "ended", threadId: "thr_own" });
    send(here, { kind: "keys" });
    const hints: readonly Hint[] = [{ kind: "queued" }, { kind: "ended", threadId: "thr_1" }, { kind: "keys" }];
    for (const hint of hints) send(there, hint);
    await expect.poll(() => heard).toEqual(["hearing", ...hints]);
  });

  test("receives a hint after a message is stored, and none if it is not", async () => {
    await migrateToLatest(replica(there));
    const conversations = createConversationStore(replica(there));
    const message = newMessage({ clientMessageId: "c-1" });
    await conversations.appendMessage(message);
    await expect.poll(() => heard).toEqual(["hearing", { kind: "queued" }]);
    await conversations.appendMessage({ ...message, messageId: newId("msg"), runId: newId("run") });
    send(there, { kind: "ended", threadId: "thr_1" });
    await expect.poll(() => heard).toEqual(["hearing", { kind: "queued" }, { kind: "ended", threadId: "thr_1" }]);
  });

  test("receives a hint that was sent just before the other one closed", async () => {
    send(there, { kind: "ended", threadId: "thr_1" });
    send(there, { kind: "ended", threadId: "thr_2" });
    await replica(there).close();
    await expect.poll(() => heard).toHaveLength(3);
  });

  test("ignores hints of later versions", async () => {
    await asAdmin("select pg_notify('latchkey_runs', x) from unnest(array['', 'x', 'x y z', 'x ended', 'x key']) x");
    send(there, { kind: "queued" });
    await expect.poll(() => heard).toEqual(["hearing", { kind: "queued" }]);
  });

  test("whose connection breaks reports it, and reconnects", async () => {
    await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen latchkey_runs'`);
    await expect.poll(() => heard).toEqual(["hearing", "deaf", "hearing"]);
    send(there, { kind: "queued" });
    await expect.poll(() => heard.at(-1)).toEqual({ kind: "queued" });
  });

  test("stops trying to listen when it is closed", async () => {
    await dropDatabase(serverUrl, url);
    await expect.poll(() => heard).toEqual(["hearing", "deaf"]);
    await listener.close();
    await asAdminOf(serverUrl, `create database ${new URL(url).pathname.slice(1)} template template0`);
    send(there, { kind: "queued" });
    expect(heard).toEqual(["hearing", "deaf"]);
  });
});
