import type { Kysely } from "kysely";
import type { Act } from "../../../domain/audit/event.ts";
import { unknownTenant } from "../../../domain/erasures/erase.ts";
import {
  type Erasure,
  type ErasureTarget,
  isNothing,
  type TenantTarget,
  type UserTarget,
} from "../../../domain/erasures/erasure.ts";
import type { ErasureStore, PieceOutcome } from "../../../domain/erasures/erasure-store.ts";
import type { Clock } from "../../../domain/vocabulary/clock.ts";
import type { Invalidation } from "../../replicas/invalidation.ts";
import { tenantSubject, userSubject } from "../../replicas/subjects.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { type SqlNow, sqlNow } from "../driver/now.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import { ERASED_REASON, lockRules } from "../keys/key-policies.ts";
import { type BoundChange, changeAllBound, changeBound, NO_CACHE } from "../replicas/bound-change.ts";
import type { Schema } from "../schema.ts";
import { findConversations } from "./erased-conversations.ts";
import { findKeyActors, findKeyPolicies, findKeys, findKeyUsage, findKeyUsageHours } from "./erased-keys.ts";
import { findMembers, findOrgRecords, removeUserFromOrg } from "./erased-members.ts";
import { findRecentRequests } from "./erased-requests.ts";
import { findFederationRules } from "./erased-rules.ts";
import { findAccessTokens } from "./erased-tokens.ts";
import { findEventsOfTenant, findEventsOfUser, findWebhookCreators, findWebhooks } from "./erased-webhooks.ts";
import type { FindPiece, Piece } from "./erasure-piece.ts";
import { addToErasure, closeErasure, findOpen, listOpen, lockOpen, openErasure, readClosed } from "./erasure-rows.ts";
import { isKnownTenant } from "./known-tenants.ts";

/** Erasures in SQL (ADR 29). Uses `database.db` outside transactions only. `clock` is for tests. */
export function createErasureStore(
  { db }: Pick<SqlDatabase, "db">,
  invalidation: Invalidation = NO_CACHE,
  clock?: Clock,
): ErasureStore {
  const now = sqlNow(clock);
  return {
    begin: (target, act) => translateOutage(() => begin(db, invalidation, target, act, now)),
    read: (erasureId) => translateOutage(() => read(db, erasureId)),
    listUnfinished: () => translateOutage(() => listOpen(db)),
    removePiece: (erasureId) => translateOutage(() => removePiece(db, invalidation, erasureId, now)),
  };
}

function begin(
  db: Kysely<Schema>,
  invalidation: Invalidation,
  target: ErasureTarget,
  act: Act,
  now: SqlNow,
): Promise<Erasure> {
  switch (target.kind) {
    case "user":
      return changeBound(db, invalidation, userSubject(target.userId), async (trx) =>
        begun(await openErasure(trx, target, act, await removeUserFromOrg(trx, target, now)), target, act),
      );
    case "tenant":
      return changeBound(db, invalidation, tenantSubject(target.tenantId), async (trx) => {
        // A key that is being made is committed before, and removed with the others, or finds the tenant erased.
        await lockRules(trx, target.tenantId, "alone");
        if (!(await isKnownTenant(trx, target.tenantId))) throw unknownTenant();
        await suspend(trx, target.tenantId);
        return begun(await openErasure(trx, target, act, {}), target, act);
      });
    default:
      return target satisfies never;
  }
}

function begun(result: Erasure, target: ErasureTarget, { requestId }: Act): BoundChange<Erasure> {
  return { result, state: { kind: "erasure", target }, requestId };
}

/**
 * Locks the suspension, so that a resumption under way ends before, and a later one finds the erasure. The operator's own reason
 * may name people.
 */
async function suspend(trx: Kysely<Schema>, tenantId: string): Promise<void> {
  await trx
    .insertInto("tenant_suspensions")
    .values({ tenant_id: tenantId, reason: ERASED_REASON })
    .onConflict((conflict) => conflict.column("tenant_id").doUpdateSet({ reason: ERASED_REASON }))
    .execute();
}

async function read(db: Kysely<Schema>, erasureId: string): Promise<Erasure> {
  const open = await findOpen(db, erasureId);
  if (open !== undefined) return open;
  return { erasureId, removed: await readClosed(db, erasureId), isFinished: true };
}

/**
 * Finds the piece before its transaction, because the changes of cached records begin before it. Which kind is next is not
 * stored: kinds of which nothing is left cost a look-up each.
 */
async function removePiece(
  db: Kysely<Schema>,
  invalidation: Invalidation,
  erasureId: string,
  now: SqlNow,
): Promise<PieceOutcome> {
  const open = await findOpen(db, erasureId);
  if (open === undefined) return "finished";
  const piece = await findPiece(db, open.target, now);
  // The beginning of the erasure, which is promised, implies what a piece takes away.
  return changeAllBound(db, invalidation, piece?.subjects ?? [], async (trx) => ({
    result: await removeFound(trx, erasureId, piece),
    state: null,
  }));
}

async function removeFound(trx: Kysely<Schema>, erasureId: string, piece: Piece | undefined): Promise<PieceOutcome> {
  const erasure = await lockOpen(trx, erasureId);
  if (erasure === undefined) return "busy";
  if (piece === undefined) {
    await closeErasure(trx, erasure);
    return "finished";
  }
  const removed = await piece.remove(trx);
  await addToErasure(trx, erasure, removed);
  return isNothing(removed) ? "busy" : "removed";
}

async function findPiece(db: Kysely<Schema>, target: ErasureTarget, now: SqlNow): Promise<Piece | undefined> {
  return target.kind === "user" ? firstPiece(db, target, OF_USER) : firstPiece(db, target, ofTenant(now));
}

const OF_USER: readonly FindPiece<UserTarget>[] = [
  findAccessTokens,
  findConversations,
  findKeyActors,
  findRecentRequests,
  findWebhookCreators,
  findEventsOfUser,
];

/**
 * Keys come first, since they can be used, and then the tokens for them. Members come after the organization's name, which is in their cached records; counters
 * and recent requests come last, since processes still store what they have counted.
 */
function ofTenant(now: SqlNow): readonly FindPiece<TenantTarget>[] {
  return [
    findKeys(now),
    findFederationRules,
    findAccessTokens,
    findEventsOfTenant,
    findWebhooks,
    findConversations,
    findOrgRecords,
    findMembers(now),
    findKeyUsage,
    findKeyUsageHours,
    findKeyPolicies,
    findRecentRequests,
  ];
}

async function firstPiece<Target>(
  db: Kysely<Schema>,
  target: Target,
  finders: readonly FindPiece<Target>[],
): Promise<Piece | undefined> {
  for (const find of finders) {
    const piece = await find(db, target);
    if (piece !== undefined) return piece;
  }
  return undefined;
}
