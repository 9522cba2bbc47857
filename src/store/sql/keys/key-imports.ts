import { type Insertable, type Kysely, sql } from "kysely";
import { changesBetween } from "../../../domain/audit/changes.ts";
import { IMPORT_CALLED } from "../../../domain/audit/event.ts";
import type { ImportCall, ImportStore, StoredOutcome } from "../../../domain/imports/import-store.ts";
import type { PlannedKey } from "../../../domain/imports/plan.ts";
import { formatNotFound } from "../../../domain/key-formats/formats.ts";
import { auditedKey } from "../../../domain/keys/audited-key.ts";
import type { PolicyState } from "../../../domain/keys/key-policy.ts";
import { codeOf } from "../../../domain/vocabulary/error-code.ts";
import { RequestFault } from "../../../domain/vocabulary/request-fault.ts";
import { eventRow, insertEvent } from "../audit/audit-rows.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { hashBytes, hashOf } from "../driver/hash-bytes.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import { lockFormats } from "../key-formats/format-store.ts";
import type { Schema } from "../schema.ts";
import { exportKeys } from "./key-exports.ts";
import { lockPolicy } from "./key-policies.ts";
import { rowOf } from "./key-rows.ts";
import { type ColumnTypes, insertRows, textArray } from "./row-arrays.ts";

/** SQLSTATE of a deadlock. */
const DEADLOCK = "40P01";
const ATTEMPTS = 3;

/** Imports and exports of keys in SQL. */
export function createImportStore({ db }: Pick<SqlDatabase, "db">): ImportStore {
  return {
    importKeys: (keys, call) => translateOutage(() => attempt(db, keys, call)),
    exportKeys: (page, act) => translateOutage(() => db.transaction().execute((trx) => exportKeys(trx, page, act))),
  };
}

/** Rows are inserted in the order of their hashes, so imports of the same keys wait for each other; other changes may deadlock. */
async function attempt(
  db: Kysely<Schema>,
  keys: readonly PlannedKey[],
  call: ImportCall,
): Promise<readonly StoredOutcome[]> {
  for (let left = ATTEMPTS - 1; ; left--) {
    try {
      return await db.transaction().execute((trx) => importKeys(trx, keys, call));
    } catch (err) {
      if (left === 0 || codeOf(err) !== DEADLOCK) throw err;
    }
  }
}

interface Owner {
  readonly tenantId: string;
  readonly keyId: string;
}

async function importKeys(
  trx: Kysely<Schema>,
  keys: readonly PlannedKey[],
  call: ImportCall,
): Promise<readonly StoredOutcome[]> {
  await lockFormats(trx, "shared");
  const formats = await findFormats(trx, keys);
  const states = await lockPolicies(trx, keys, call.now);
  const owners = await findOwners(trx, keys);
  const faults = new Map<PlannedKey, RequestFault>();
  const accepted = keys.filter((key) => {
    if (owners.has(key.secretHash)) return false;
    const fault = formats.has(key.keyFormat) ? faultOf(key, states, call) : formatNotFound();
    if (fault !== undefined) {
      faults.set(key, fault);
      return false;
    }
    const { tenantId, keyId } = key.record;
    owners.set(key.secretHash, { tenantId, keyId });
    return true;
  });
  if (!call.isDryRun) await store(trx, accepted, owners, call);
  const outcomes = keys.map((key) => outcomeOf(key, faults.get(key), owners.get(key.secretHash)));
  if (!call.isDryRun) await recordCall(trx, outcomes, call);
  return outcomes;
}

/** The formats of the keys that are still there; with that of keys of this service, which has no row. */
async function findFormats(trx: Kysely<Schema>, keys: readonly PlannedKey[]): Promise<ReadonlySet<string>> {
  const names = [...new Set(keys.map(({ keyFormat }) => keyFormat))];
  const rows = await trx
    .selectFrom("key_formats")
    .select("key_format")
    .where("key_format", "=", sql<string>`any(cast(${textArray(names)} as text[]))`)
    .execute();
  return new Set(["", ...rows.map(({ key_format }) => key_format)]);
}

/** Locks the rules of the tenants, in one order. */
async function lockPolicies(
  trx: Kysely<Schema>,
  keys: readonly PlannedKey[],
  at: Date,
): Promise<Map<string, PolicyState>> {
  const tenantIds = [...new Set(keys.map(({ record }) => record.tenantId))].sort();
  const states = new Map<string, PolicyState>();
  for (const tenantId of tenantIds) states.set(tenantId, await lockPolicy(trx, tenantId, { at, addsKey: true }));
  return states;
}

/** Why the rules of its tenant do not allow the key. If they do, it counts from now on. */
function faultOf(key: PlannedKey, states: Map<string, PolicyState>, { check }: ImportCall): RequestFault | undefined {
  const { tenantId } = key.record;
  const state = states.get(tenantId);
  if (state === undefined) throw new Error("the rules of a tenant were not locked");
  try {
    check(key, state);
  } catch (err) {
    if (err instanceof RequestFault) return err;
    throw err;
  }
  if (!key.hasEnded) states.set(tenantId, { ...state, usableKeys: state.usableKeys + 1 });
  return undefined;
}

async function findOwners(trx: Kysely<Schema>, keys: readonly PlannedKey[]): Promise<Map<string, Owner>> {
  const hashes = textArray(keys.map(({ secretHash }) => `\\x${Buffer.from(hashBytes(secretHash)).toString("hex")}`));
  const rows = await trx
    .selectFrom("api_keys")
    .select(["secret_hash", "tenant_id", "key_id"])
    .where("secret_hash", "=", sql<Uint8Array>`any(cast(${hashes} as bytea[]))`)
    .execute();
  return new Map(
    rows.map(({ secret_hash, tenant_id, key_id }) => [hashOf(secret_hash), { tenantId: tenant_id, keyId: key_id }]),
  );
}

/**
 * A concurrent import of the same hash makes the insert wait, and do nothing. The statement cannot see who won, so the owners are read
 * again.
 */
async function store(
  trx: Kysely<Schema>,
  accepted: readonly PlannedKey[],
  owners: Map<string, Owner>,
  { act }: ImportCall,
): Promise<void> {
  if (accepted.length === 0) return;
  const inOrder = accepted.toSorted((one, other) =>
    Buffer.compare(hashBytes(one.secretHash), hashBytes(other.secretHash)),
  );
  const rows = inOrder.map((key) => importedRow(key, act));
  const inserted = sql`insert into api_keys ${insertRows(KEY_TYPES, rows)} on conflict (secret_hash) do nothing returning key_id`;
  const { rows: created } = (await inserted.execute(trx)) as { rows: readonly { key_id: string }[] };
  const ids = new Set(created.map(({ key_id }) => key_id));
  const lost = inOrder.filter(({ record }) => !ids.has(record.keyId));
  for (const { secretHash } of lost) owners.delete(secretHash);
  for (const [hash, owner] of lost.length === 0 ? [] : await findOwners(trx, lost)) owners.set(hash, owner);
  const events = inOrder
    .filter(({ record }) => ids.has(record.keyId))
    .map(({ record, keyFormat }) => {
      const { tenantId, keyId: targetId } = record;
      const changes = changesBetween(undefined, auditedKey({ ...record, imported: { keyFormat } }));
      return eventRow({ ...act, tenantId, targetId, changes, refusal: null });
    });
  if (events.length > 0) await sql`insert into audit_events ${insertRows(EVENT_TYPES, events)}`.execute(trx);
}

function importedRow({ record, secretHash, ...imported }: PlannedKey, { actor }: ImportCall["act"]) {
  return {
    ...rowOf({ record, secretHash }, actor),
    key_format: imported.keyFormat,
    public_part: imported.publicPart,
    imported_digest: imported.digest,
  };
}

function outcomeOf({ record }: PlannedKey, fault: RequestFault | undefined, owner: Owner | undefined): StoredOutcome {
  if (fault !== undefined) return { kind: "refused", fault };
  if (owner === undefined || owner.tenantId !== record.tenantId) return { kind: "taken" };
  return { kind: owner.keyId === record.keyId ? "created" : "exists", keyId: owner.keyId };
}

/** One event with the counts of a call, beside the events of its keys: who tries hashes is seen there. */
async function recordCall(
  trx: Kysely<Schema>,
  outcomes: readonly StoredOutcome[],
  { act, tenantId, refused }: ImportCall,
): Promise<void> {
  const count = (...kinds: readonly StoredOutcome["kind"][]) =>
    outcomes.filter(({ kind }) => kinds.includes(kind)).length;
  const counts = { created: count("created"), exists: count("exists"), refused: refused + count("refused", "taken") };
  const changes = changesBetween(undefined, counts);
  await insertEvent(trx, { ...act, action: IMPORT_CALLED, tenantId, targetId: tenantId ?? "", changes, refusal: null });
}

const KEY_TYPES = {
  key_id: "text",
  tenant_id: "text",
  secret_hash: "bytea",
  secret_prefix: "text",
  type: "text",
  name: "text",
  description: "text",
  permissions: "jsonb",
  requests_per_minute: "int",
  requests_per_hour: "int",
  burst_size: "int",
  oidc: "jsonb",
  expires_at: "timestamptz",
  created_at: "timestamptz",
  updated_at: "timestamptz",
  disabled_at: "timestamptz",
  revoked_at: "timestamptz",
  rotated_to: "text",
  rotated_from: "text",
  metadata: "json",
  external_id: "text",
  user_requests_per_minute: "int",
  user_requests_per_hour: "int",
  user_burst_size: "int",
  budget_id: "text",
  allowed_ips: "jsonb",
  allowed_origins: "jsonb",
  allow_browser: "boolean",
  created_by: "jsonb",
  key_format: "text",
  public_part: "text",
  imported_digest: "bytea",
} as const satisfies ColumnTypes<ReturnType<typeof importedRow>>;

const EVENT_TYPES = {
  event_id: "text",
  tenant_id: "text",
  actor: "jsonb",
  actor_id: "text",
  action: "text",
  target_id: "text",
  changes: "jsonb",
  refusal: "jsonb",
  impersonation: "jsonb",
  address: "text",
  request_id: "text",
  trace_id: "text",
} as const satisfies ColumnTypes<Insertable<Schema["audit_events"]>>;
