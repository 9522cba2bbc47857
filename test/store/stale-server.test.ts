import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { hashSecret } from "../../src/domain/credentials/secret.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import type { Invalidation } from "../../src/store/replicas/invalidation.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { createReplicaTable } from "../../src/store/sql/replicas/replica-rows.ts";
import { createSecretSealer } from "../../src/store/webhooks/secret-sealer.ts";
import { ACT } from "../harness/act.ts";
import { keyFormat } from "../harness/key-format-vectors.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";
import { NOW, newKey, newMessage } from "./records.ts";

/*
 * Each method of each store, on a server that lacks a change which was acknowledged: an old primary that came back. It must not answer
 * "there is none", because the newer primary may have one.
 */

const serverUrl = inject("postgresUrl");
let url: string;
let current: SqlDatabase;
/** The same database, for a process that knows of a change which is not there. */
let stale: SqlDatabase;
beforeAll(async () => {
  url = await createDatabase(serverUrl);
  [current, stale] = await Promise.all([open(), open()]);
  await migrateToLatest(current);
  stale.history.made(randomUUID());
});
afterAll(async () => {
  await Promise.all([current?.close(), stale?.close()]);
  await dropDatabase(serverUrl, url);
});

const open = () => openDatabase({ kind: "postgres", url, poolSize: 4 });

const [tenantId, keyId, id] = [newId("ten"), newId("key"), newId("org")];
const user = { issuer: "https://idp.example", userId: "anna", verifiedEmail: null };
const org = { orgId: id, tenantId, name: "Acme" };
const hash = hashSecret("none");
const repeatable = { callHash: hash, contentHash: hash };
const bytes = new Uint8Array(32);
const { createdAt: _, ...FORMAT } = keyFormat({ name: "acme" });

/** What the methods are called with that must answer only on a server with all changes. Nothing of it is there. */
const PROVEN: Readonly<Record<string, readonly unknown[]>> = {
  "createAccessTokenStore.findToken": [newId("tok")],
  "createAccessTokenStore.revokeToken": [{ tenantId, keyId }, newId("tok"), ACT],
  "createConversationStore.appendMessage": [newMessage({ clientMessageId: "c-1" })],
  "createErasureStore.begin": [{ kind: "tenant", tenantId }, ACT],
  "createKeyFormatStore.deleteFormat": ["none", ACT],
  "createKeyFormatStore.insertFormat": [FORMAT, () => undefined, ACT],
  "createKeyFormatStore.readFormats": [],
  "createKeyStore.findKey": [tenantId, keyId],
  "createKeyStore.findKeyBySecretHash": [hash],
  "createKeyStore.findSecretHash": [tenantId, keyId],
  "createKeyStore.insertKey": [newKey(), ACT, () => undefined, repeatable],
  "createKeyStore.updateKeyUnderLock": [tenantId, keyId, () => ({ patch: {} }), ACT],
  "createOrgStore.acceptInvitation": [bytes, user, () => NOW, ACT],
  "createOrgStore.changeMember": [tenantId, user, () => ({ kind: "remove" }), ACT],
  "createOrgStore.createOrg": [org, user, "", "c-1", ACT],
  "createOrgStore.findMemberships": [user.userId],
  "createOrgStore.switchOrg": [user, id, ACT],
  "createIdempotentCalls.findRecord": [repeatable],
  "createRuleStates.findRuleState": [newId("fed")],
  "createRuleStore.deleteRule": [tenantId, newId("fed"), ACT],
  "createRuleStore.findRule": [tenantId, newId("fed")],
  "createRuleStore.findRuleOfAny": [newId("fed")],
  "createRuleStore.updateRule": [tenantId, newId("fed"), {}, ACT],
  "createSigningKeyStore.readKeys": [],
  "createTenantStore.findTenant": [tenantId],
  "createTenantStore.setSuspension": [tenantId, "unpaid", ACT],
  "createUsedOnce.isUsed": [bytes],
  "createUsedOnce.use": [bytes, new Date(Date.now() + 60_000)],
};

/** The others, and why they need not prove their server. */
const UNPROVEN: readonly (readonly [RegExp, string])[] = [
  [/^create(Audit|Usage|Request|KeyLifecycle|Outbox|RunQueue|ConversationRetention)/, "its own"],
  [/^createImportStore\.exportKeys$/, "shows what the server has"],
  [/^createImportStore\.importKeys$/, "what is lost admits nobody, and importing it again is harmless"],
  [/^createReplicaTable\./, "the looks, which prove the server themselves"],
  [/^createRestoreChanges\./, "makes again what the server lacks"],
  [/\.(list|search)\w+$/, "shows what the server has"],
  [
    /\.(readUsage|readThread|readPolicy|findThread|findUnfinished|findOrg|findOffer|findInvitation|findWebhook|findSecrets|getTenant|read)$/,
    "so",
  ],
  [/\.(addUsage|remove\w+|hasRoom|redeliver\w+)$/, "counts and work of the service's own"],
  [/^createSigningKeyStore\.(addKey|promote|reseal)$/, "of a process that has read the keys of this server"],
  [/\.(addToken|insertRule|insertInvitation|insertWebhook)$/, "what is lost admits nobody, and the caller has its id"],
  [/\.(renameOrg|revokeInvitation|writePolicy|updateWebhook|replaceSecret|deleteWebhook)$/, "the caller was looked up"],
];

/** Every function of the stores' folders that makes one. */
async function factories(): Promise<ReadonlyMap<string, Factory>> {
  const stores = new URL("../../src/store/sql/", import.meta.url);
  const files = (await readdir(stores, { recursive: true })).filter((path) => path.endsWith(".ts"));
  const exported = await Promise.all(
    files
      .filter((path) => path.includes("/") && !/^(driver|migrations)\/|\.test\.ts$/.test(path))
      .map(async (path) => Object.entries((await import(new URL(path, stores).href)) as object)),
  );
  return new Map(exported.flat().filter(([name]) => /^create[A-Z]/.test(name)) as [string, Factory][]);
}

type Factory = (database: SqlDatabase, ...rest: unknown[]) => unknown;

const sealer = createSecretSealer(() => []);

/** A store whose changes have a mark each, as those of a replica. */
function storeOf(
  name: string,
  create: Factory,
  database: SqlDatabase,
): Record<string, (...args: unknown[]) => unknown> {
  const table = createReplicaTable(database);
  const marked: Invalidation = {
    async beginChange(subject) {
      const { markId } = await table.insertMark(subject);
      return { markId, newest: database.history.newest, end: async () => {}, abandon: () => table.deleteMark(markId) };
    },
  };
  const isOfWebhooks = /Webhook|Outbox|Sealing/.test(name);
  const store = isOfWebhooks
    ? create(database, sealer)
    : create(database, /Log|Queue|Lifecycle|Idempotent/.test(name) ? undefined : marked);
  return typeof store === "function" ? {} : (store as ReturnType<typeof storeOf>);
}

const outcomeOf = async (method: string, database: SqlDatabase) => {
  const [factory = "", name = ""] = method.split(".");
  const create = (await factories()).get(factory);
  if (create === undefined) throw new Error(`no function ${factory}`);
  return Promise.resolve(storeOf(factory, create, database)[name]?.(...(PROVEN[method] ?? []))).then(
    () => "answers",
    (err: unknown) => (err instanceof StoreUnavailable ? `${err.cause}` : "answers"),
  );
};

// threat: Q12
test("every method of a store proves its server, or a line says why it need not", async () => {
  const methods: string[] = [];
  for (const [factory, create] of await factories()) {
    for (const method of Object.keys(storeOf(factory, create, current))) methods.push(`${factory}.${method}`);
  }
  const rest = methods.filter((method) => !(method in PROVEN));
  expect(rest.filter((method) => !UNPROVEN.some(([known]) => known.test(method)))).toEqual([]);
  expect(UNPROVEN.filter(([known]) => !rest.some((method) => known.test(method)))).toEqual([]);
  expect(Object.keys(PROVEN).filter((method) => !methods.includes(method))).toEqual([]);
});

describe.each(Object.keys(PROVEN))("%s", (method) => {
  // threat: Q12
  test("throws on a server that lacks an acknowledged change, and answers on another one", async () => {
    expect(await outcomeOf(method, stale)).toMatch("lacks a change that was acknowledged");
    expect(await outcomeOf(method, current)).toBe("answers");
  });
});

test("eight keys at once, of which the server has some, are not answered either", async () => {
  const create = (await factories()).get("createKeyStore");
  if (create === undefined) throw new Error("no keys");
  const stored = newKey();
  await storeOf("createKeyStore", create, current).insertKey?.(stored, ACT);
  const find = (database: SqlDatabase) => {
    const keys = storeOf("createKeyStore", create, database);
    const hashes = [stored.secretHash, ...Array.from({ length: 7 }, () => newKey().secretHash)];
    return Promise.all(hashes.map(async (each) => keys.findKeyBySecretHash?.(each)));
  };
  await expect(find(stale)).rejects.toBeInstanceOf(StoreUnavailable);
  const [found, ...others] = await find(current);
  expect(found).toMatchObject({ keyId: stored.record.keyId });
  expect(others).toEqual(Array(7).fill(undefined));
});
