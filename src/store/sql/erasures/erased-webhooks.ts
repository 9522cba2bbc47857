import { sql } from "kysely";
import type { Removed, TenantTarget, UserTarget } from "../../../domain/erasures/erasure.ts";
import type { NamedUser } from "../../../domain/webhooks/outbox.ts";
import { type FindPiece, type Piece, ROWS_AT_ONCE } from "./erasure-piece.ts";

/** Events of a tenant's webhooks, with their deliveries: none is sent any more, except an attempt under way. */
export const findEventsOfTenant: FindPiece<TenantTarget> = async (db, { tenantId }) => {
  const isOfTenant = sql`tenant_id = ${tenantId}`;
  const { rows } = await sql`select from webhook_events where ${isOfTenant} limit 1`.execute(db);
  return rows.length === 0 ? undefined : removal(isOfTenant);
};

/**
 * Events that name a user, of every status. Those without a body yet are found by what their change says. The event of an erasure is
 * needed by receivers, who erase the user, too.
 */
export const findEventsOfUser: FindPiece<UserTarget> = async (db, { tenantId, userId, issuer }) => {
  const named = (user: Partial<NamedUser>) =>
    sql`users <> '[]' and users @> cast(${JSON.stringify([user])} as text)::jsonb`;
  const user = { user_id: userId };
  const isPrepared =
    issuer === null ? named(user) : sql`(${named({ ...user, issuer })}) or (${named({ ...user, issuer: null })})`;
  const isRaw = sql`prepared_at is null and (
    subject = ${userId} or source -> 'changes' -> 'user_id' ->> 'new' = ${userId}
    or source -> 'details' ->> 'user_id' = ${userId}
  )`;
  const isOfUser = sql`tenant_id = ${tenantId} and type <> 'user.erased' and ((${isPrepared}) or (${isRaw}))`;
  const { rows } = await sql`select from webhook_events where ${isOfUser} limit 1`.execute(db);
  return rows.length === 0 ? undefined : removal(isOfUser);
};

function removal(isErased: ReturnType<typeof sql>): Piece {
  const locked = sql`select event_id from webhook_events where ${isErased} limit ${ROWS_AT_ONCE} for update skip locked`;
  return {
    subjects: [],
    async remove(trx): Promise<Removed> {
      const { numAffectedRows = 0n } = await sql`
        delete from webhook_events where event_id = any(array(${locked}))`.execute(trx);
      return { webhook_events: Number(numAffectedRows) };
    },
  };
}

/** With their secrets. Later changes of the tenant are not events. */
export const findWebhooks: FindPiece<TenantTarget> = async (db, { tenantId }) => {
  const row = await db.selectFrom("webhooks").select("webhook_id").where("tenant_id", "=", tenantId).executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    subjects: [],
    async remove(trx) {
      const { numDeletedRows } = await trx
        .deleteFrom("webhooks")
        .where("tenant_id", "=", tenantId)
        .executeTakeFirstOrThrow();
      return { webhooks: Number(numDeletedRows) };
    },
  };
};

/** A user in what webhooks say of who created them. */
export const findWebhookCreators: FindPiece<UserTarget> = async (db, { tenantId, userId, issuer }) => {
  const isIssuer = issuer === null ? sql`true` : sql`coalesce(created_by ->> 'issuer', ${issuer}) = ${issuer}`;
  const isCreator = sql<boolean>`coalesce(created_by ->> 'userId' = ${userId} and ${isIssuer}, false)`;
  const row = await db
    .selectFrom("webhooks")
    .select("webhook_id")
    .where("tenant_id", "=", tenantId)
    .where(isCreator)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    subjects: [],
    async remove(trx) {
      const { numUpdatedRows } = await trx
        .updateTable("webhooks")
        .set({ created_by: null })
        .where("tenant_id", "=", tenantId)
        .where(isCreator)
        .executeTakeFirstOrThrow();
      return { webhooks: Number(numUpdatedRows) };
    },
  };
};
