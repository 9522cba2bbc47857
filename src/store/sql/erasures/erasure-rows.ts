import { hash } from "node:crypto";
import { type Kysely, type Selectable, sql } from "kysely";
import type { Act } from "../../../domain/audit/event.ts";
import {
  addRemoved,
  ERASED_KINDS,
  type Erasure,
  type ErasureTarget,
  isNothing,
  type Removed,
} from "../../../domain/erasures/erasure.ts";
import { newId } from "../../../domain/vocabulary/ids.ts";
import { insertEvent } from "../audit/audit-rows.ts";
import type { Schema } from "../schema.ts";

/** An erasure that is not finished. */
export interface OpenErasure extends Erasure {
  readonly target: ErasureTarget;
  readonly act: Act;
}

/**
 * Inserts the erasure with what its transaction has removed, or adds that to the erasure of this target that is not finished.
 * Waits for the piece of it that another session removes now.
 */
export async function openErasure(
  trx: Kysely<Schema>,
  target: ErasureTarget,
  act: Act,
  removed: Removed,
): Promise<OpenErasure> {
  const row = await trx
    .insertInto("erasures")
    .values({
      erasure_id: newId("aud"),
      target: hashOfTarget(target),
      kind: target.kind,
      tenant_id: target.tenantId,
      user_id: target.kind === "user" ? target.userId : "",
      issuer: (target.kind === "user" && target.issuer) || "",
      act: JSON.stringify(act),
    })
    .onConflict((conflict) => conflict.column("target").doUpdateSet({ kind: target.kind }))
    .returningAll()
    .executeTakeFirstOrThrow();
  const erasure = erasureOf(row);
  await addToErasure(trx, erasure, removed);
  return { ...erasure, removed: addRemoved(erasure.removed, removed) };
}

function hashOfTarget(target: ErasureTarget): Uint8Array {
  const { kind, tenantId } = target;
  const names = kind === "user" ? [kind, tenantId, target.userId, target.issuer] : [kind, tenantId];
  return hash("sha256", JSON.stringify(names), "buffer");
}

function erasureOf(row: Selectable<Schema["erasures"]>): OpenErasure {
  const { kind, tenant_id: tenantId, user_id: userId, issuer } = row;
  const target: ErasureTarget =
    kind === "tenant" ? { kind, tenantId } : { kind, tenantId, userId, issuer: issuer || null };
  return { erasureId: row.erasure_id, target, act: row.act, removed: row.removed, isFinished: false };
}

export async function findOpen(db: Kysely<Schema>, erasureId: string): Promise<OpenErasure | undefined> {
  const row = await db.selectFrom("erasures").selectAll().where("erasure_id", "=", erasureId).executeTakeFirst();
  return row && erasureOf(row);
}

/** Undefined: another session has it, or it is finished. The lock ends with its session, so that a killed process holds none. */
export async function lockOpen(trx: Kysely<Schema>, erasureId: string): Promise<OpenErasure | undefined> {
  const row = await trx
    .selectFrom("erasures")
    .selectAll()
    .where("erasure_id", "=", erasureId)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return row && erasureOf(row);
}

/** Under the lock of the erasure. */
export async function addToErasure(
  trx: Kysely<Schema>,
  { erasureId, removed: before }: Erasure,
  removed: Removed,
): Promise<void> {
  if (isNothing(removed)) return;
  await trx
    .updateTable("erasures")
    .set({ removed: JSON.stringify(addRemoved(before, removed)) })
    .where("erasure_id", "=", erasureId)
    .execute();
}

export async function listOpen(db: Kysely<Schema>): Promise<readonly string[]> {
  const rows = await db.selectFrom("erasures").select("erasure_id").orderBy("started_at").execute();
  return rows.map((row) => row.erasure_id);
}

/** Whether a tenant is being erased. */
export async function isTenantOpen(db: Kysely<Schema>, tenantId: string): Promise<boolean> {
  const row = await db
    .selectFrom("erasures")
    .select("erasure_id")
    .where("tenant_id", "=", tenantId)
    .where("target", "=", hashOfTarget({ kind: "tenant", tenantId }))
    .executeTakeFirst();
  return row !== undefined;
}

/** Under the lock of the erasure: its one event, with how many records of each kind there were and are. */
export async function closeErasure(
  trx: Kysely<Schema>,
  { erasureId, target, act, removed }: OpenErasure,
): Promise<void> {
  await trx.deleteFrom("erasures").where("erasure_id", "=", erasureId).execute();
  if (isNothing(removed)) return;
  const counts = Object.entries(addRemoved(removed, {}));
  const changes = Object.fromEntries(counts.map(([kind, old]) => [kind, { old, new: 0 }]));
  const targetId = target.kind === "user" ? target.userId : target.tenantId;
  await insertEvent(trx, { ...act, tenantId: target.tenantId, targetId, changes, refusal: null }, erasureId);
}

/** The counts of a finished erasure, from its event; zeros without an event. */
export async function readClosed(db: Kysely<Schema>, erasureId: string): Promise<Removed> {
  const row = await db
    .selectFrom("audit_events")
    .select(sql<Record<string, { readonly old?: unknown } | undefined>>`changes`.as("changes"))
    .where("event_id", "=", erasureId)
    .executeTakeFirst();
  const counts = ERASED_KINDS.map((kind) => [kind, Number(row?.changes[kind]?.old ?? 0)] as const);
  return addRemoved(Object.fromEntries(counts), {});
}
