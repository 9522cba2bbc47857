import { type CompiledQuery, type Kysely, type RawBuilder, sql } from "kysely";
import type { Act, Actor } from "../../../domain/audit/event.ts";
import type { FoundKey, KeyIssuer, SecretHash } from "../../../domain/credentials/key.ts";
import type { IdempotentCall } from "../../../domain/idempotency/idempotent-call.ts";
import { auditedKey, auditedNewKey } from "../../../domain/keys/audited-key.ts";
import { secretHashTaken } from "../../../domain/keys/caller-made.ts";
import type { NewKey, StoredChange } from "../../../domain/keys/key-change.ts";
import type { KeyDetails } from "../../../domain/keys/key-details.ts";
import { rightsOf } from "../../../domain/keys/key-fields.ts";
import type { PolicyCheck } from "../../../domain/keys/key-policy.ts";
import type { KeyStore } from "../../../domain/keys/key-store.ts";
import type { PromisedState } from "../../../domain/lost-changes/promised-state.ts";
import type { Clock } from "../../../domain/vocabulary/clock.ts";
import { codeOf } from "../../../domain/vocabulary/error-code.ts";
import type { Invalidation } from "../../replicas/invalidation.ts";
import { creationRow, recordChange } from "../audit/audit-rows.ts";
import { createBatches } from "../driver/batches.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { hashBytes, hashOf } from "../driver/hash-bytes.ts";
import { findProven, foundOf, type Proven, proven } from "../driver/history.ts";
import { OPERATOR, ofTenant } from "../driver/list-turns.ts";
import { commitLocally } from "../driver/local-commit.ts";
import { sqlNow } from "../driver/now.ts";
import { createSerialize } from "../driver/serialized.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import { claimCall } from "../idempotency/idempotent-calls.ts";
import { changeAllBound, NO_CACHE } from "../replicas/bound-change.ts";
import type { Schema } from "../schema.ts";
import { addUsage, readUsage } from "../usage/key-usage.ts";
import { lockPolicy } from "./key-policies.ts";
import { changedColumns, DETAIL_COLUMNS, detailsOf, KEY_COLUMNS, type KeyRow, recordOf, rowOf } from "./key-rows.ts";
import { listKeys, searchKeys } from "./listed-keys.ts";
import { findConcerned, SHARED_UNTIL } from "./shared-budgets.ts";

/** Keys in SQL. Uses `database.db` outside transactions only. `clock` is for tests. */
export function createKeyStore(database: SqlDatabase, invalidation: Invalidation = NO_CACHE, clock?: Clock): KeyStore {
  const { db, history, internal, lists } = database;
  const now = sqlNow(clock);
  const serialize = createSerialize();
  const findInBatch = createBatches(createKeyReads(database));
  return {
    insertKey: (key, act, check, call) =>
      translateOutage(() =>
        check === undefined
          ? createKey(db, key, act)
          : serialize(key.record.tenantId, () => createCheckedKey(database, key, act, check, call, now())),
      ),
    findKeyBySecretHash: (secretHash) => translateOutage(() => findInBatch("", secretHash)),
    findKey: (tenantId, keyId) => translateOutage(() => findKey(database, tenantId, keyId)),
    findSecretHash: (tenantId, keyId) => translateOutage(() => findSecretHash(database, tenantId, keyId)),
    // Not a list that callers ask for: a part of each creation of a publishable key, by an index.
    listIssuers: (tenantId) => translateOutage(() => listIssuers(db, tenantId)),
    listKeys: (tenantId, filter, page) =>
      translateOutage(() => lists(ofTenant(tenantId), (reader) => listKeys(reader, tenantId, filter, page))),
    searchKeys: (search, page) => translateOutage(() => lists(OPERATOR, (reader) => searchKeys(reader, search, page))),
    updateKeyUnderLock: (tenantId, keyId, decide, act, making) => {
      const claim = (trx: Kysely<Schema>) => making && claimCall(trx, history, making.call, making.keyId, now());
      return translateOutage(() =>
        updateAndInvalidate(database, invalidation, now(), tenantId, keyId, decide, act, claim),
      );
    },
    readUsage: (tenantId, keyId) => translateOutage(() => readUsage(db, tenantId, keyId)),
    addUsage: (batchId, usage) =>
      translateOutage(() => commitLocally(internal, (trx) => addUsage(trx, batchId, usage, now()))),
  };
}

type KeyReads = (secretHashes: readonly SecretHash[]) => Promise<(FoundKey | undefined)[]>;

/**
 * Reads keys by their hashes in one statement. Compiled once: building a statement costs more than the server takes.
 */
function createKeyReads(database: SqlDatabase): KeyReads {
  const newest = () => database.history.newest;
  const byHash = compileFindBySecretHash(database.db);
  const byHashes = compileFindBySecretHashes(database.db);
  return async (secretHashes) => {
    const [only = ""] = secretHashes;
    if (secretHashes.length === 1) {
      const query: CompiledQuery<Proven<ReadRow>> = { ...byHash, parameters: [newest(), newest(), hashBytes(only)] };
      const [row] = foundOf(await database.prepared("find_key_by_secret_hash", query));
      return [row && foundKeyOf(row)];
    }
    const ids = secretHashes.map((secretHash) => hashBytes(secretHash).toString("hex"));
    const parameters = [newest(), newest(), JSON.stringify([...new Set(ids)])];
    const query: CompiledQuery<Proven<HashedRow>> = { ...byHashes, parameters };
    const rows = foundOf(await database.prepared("find_keys_by_secret_hashes", query));
    const found = new Map(rows.map((row) => [row.hash, foundKeyOf(row)]));
    return ids.map((id) => found.get(id));
  };
}

/** The newest change is the first two parameters of each reading statement. */
const NEWEST = { newest: null };

type ReadRow = KeyRow & { readonly shared_until: Date | null };

function foundKeyOf(row: ReadRow): FoundKey {
  return { ...recordOf(row), sharedUntil: row.shared_until ?? undefined };
}

function compileFindBySecretHash(db: Kysely<Schema>): CompiledQuery<Proven<ReadRow>> {
  const lookUp = db
    .selectFrom("api_keys")
    .select([SHARED_UNTIL, ...KEY_COLUMNS])
    .where("secret_hash", "=", new Uint8Array());
  return proven(NEWEST, lookUp).compile(db);
}

type HashedRow = ReadRow & { hash: string };

/** The hashes are one parameter, a JSON text in hex, which both drivers bind in the same way. */
function compileFindBySecretHashes(db: Kysely<Schema>): CompiledQuery<Proven<HashedRow>> {
  const wanted = sql<Uint8Array>`(select decode(hash, 'hex') from jsonb_array_elements_text(${"[]"}::jsonb) as t (hash))`;
  const lookUp = db
    .selectFrom("api_keys")
    .select([SHARED_UNTIL, ...KEY_COLUMNS, sql<string>`encode(secret_hash, 'hex')`.as("hash")])
    .where("secret_hash", "in", wanted);
  return proven(NEWEST, lookUp).compile(db);
}

async function insertKey(trx: Kysely<Schema>, key: NewKey, { actor }: Act): Promise<void> {
  await trx.insertInto("api_keys").values(rowOf(key, actor)).execute();
}

/** In one statement, so that bursts of new keys hold each connection, and the lock of the tenant's rules, for few round trips. */
async function createKey(db: Kysely<Schema>, key: NewKey, act: Act): Promise<void> {
  const { tenantId, keyId } = key.record;
  await db
    .with("created", (query) => query.insertInto("api_keys").values(rowOf(key, act.actor)))
    .insertInto("audit_events")
    .values(creationRow(act, { tenantId, targetId: keyId }, auditedNewKey(key)))
    .execute()
    .catch((err: unknown) => {
      throw key.isCallerMade && isHashTaken(err) ? secretHashTaken() : err;
    });
}

/** Of all tenants' keys only one has a hash, also of concurrent new ones: the index decides. */
function isHashTaken(err: unknown): boolean {
  return (
    codeOf(err) === UNIQUE_VIOLATION && (err as { constraint?: unknown }).constraint === "api_keys_secret_hash_key"
  );
}

const UNIQUE_VIOLATION = "23505";

/** Under the lock of the tenant's rules, so that of concurrent creations each counts the keys of those before. */
function createCheckedKey(
  { db, history }: SqlDatabase,
  key: NewKey,
  act: Act,
  check: PolicyCheck,
  call: IdempotentCall | undefined,
  now: RawBuilder<Date>,
): Promise<void> {
  const { tenantId, keyId, createdAt } = key.record;
  return db.transaction().execute(async (trx) => {
    await claimCall(trx, history, call, keyId, now);
    check(await lockPolicy(trx, tenantId, { at: createdAt, addsKey: true }));
    await createKey(trx, key, act);
  });
}

async function findKey(database: SqlDatabase, tenantId: string, keyId: string): Promise<KeyDetails | undefined> {
  const row = await findProven(database, ofKey(database, tenantId, keyId).select(DETAIL_COLUMNS));
  return row && detailsOf(row);
}

function ofKey({ db }: SqlDatabase, tenantId: string, keyId: string) {
  return db.selectFrom("api_keys").where("tenant_id", "=", tenantId).where("key_id", "=", keyId);
}

async function findSecretHash(database: SqlDatabase, tenantId: string, keyId: string): Promise<SecretHash | undefined> {
  const row = await findProven(database, ofKey(database, tenantId, keyId).select("secret_hash"));
  return row && hashOf(row.secret_hash);
}

const ISSUERS_MAX = 100;

function listIssuers(db: Kysely<Schema>, tenantId: string): Promise<KeyIssuer[]> {
  return (
    db
      .selectFrom("api_keys")
      .select([
        sql<string>`oidc ->> 'issuer'`.as("issuer"),
        sql<string>`coalesce(oidc ->> 'userIdPrefix', '')`.as("userIdPrefix"),
      ])
      .distinct()
      .where("tenant_id", "=", tenantId)
      // Says nothing that the next line does not, but has an index.
      .where("type", "=", "publishable")
      .where("oidc", "is not", null)
      .where("revoked_at", "is", null)
      .limit(ISSUERS_MAX)
      .execute()
  );
}

/**
 * Updates a key in one transaction under its row lock, so that concurrent changes each decide on the result of the one
 * before.
 */
async function updateAndInvalidate(
  database: SqlDatabase,
  invalidation: Invalidation,
  now: RawBuilder<Date>,
  tenantId: string,
  keyId: string,
  decide: (current: KeyDetails) => StoredChange,
  act: Act,
  claim: (trx: Kysely<Schema>) => Promise<void> | undefined,
): Promise<KeyDetails | undefined> {
  const concerned = await findConcerned(database, tenantId, keyId, now);
  if (concerned === undefined) return undefined;
  return changeAllBound(database.db, invalidation, concerned, async (trx) => {
    await claim(trx);
    const row = await lockKey(trx, tenantId, keyId);
    if (row === undefined) return { result: undefined, state: null };
    const current = detailsOf(row);
    const { patch, successor, check } = decide(current);
    if (check !== undefined) {
      const at = patch.updatedAt ?? current.updatedAt;
      check(await lockPolicy(trx, tenantId, { at, addsKey: successor !== undefined }));
    }
    if (successor !== undefined) await insertKey(trx, successor, act);
    const changed = await updateKey(trx, tenantId, current, patch, act.actor);
    const states = { before: auditedKey(current), after: auditedKey(changed) };
    await recordChange(trx, act, { tenantId, targetId: keyId }, states);
    const state: PromisedState = { kind: "key", tenantId, keyId, rights: rightsOf(changed) };
    return { result: changed, state, requestId: act.requestId };
  });
}

async function lockKey(trx: Kysely<Schema>, tenantId: string, keyId: string) {
  return trx
    .selectFrom("api_keys")
    .select(DETAIL_COLUMNS)
    .where("tenant_id", "=", tenantId)
    .where("key_id", "=", keyId)
    .forUpdate()
    .executeTakeFirst();
}

/** Returns the key as it is stored, because the database rounds instants. An empty patch writes nothing. */
async function updateKey(
  trx: Kysely<Schema>,
  tenantId: string,
  current: KeyDetails,
  patch: StoredChange["patch"],
  actor: Actor,
): Promise<KeyDetails> {
  const columns = changedColumns(patch, actor);
  if (columns === undefined) return current;
  const row = await trx
    .updateTable("api_keys")
    .set(columns)
    .where("tenant_id", "=", tenantId)
    .where("key_id", "=", current.keyId)
    .returning(DETAIL_COLUMNS)
    .executeTakeFirstOrThrow();
  return detailsOf(row);
}
