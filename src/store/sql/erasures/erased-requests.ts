import { sql } from "kysely";
import type { ErasureTarget } from "../../../domain/erasures/erasure.ts";
import { type FindPiece, ROWS_AT_ONCE } from "./erasure-piece.ts";

/** The recent requests of a tenant, or those of a user in it, who has no issuer there. */
export const findRecentRequests: FindPiece<ErasureTarget> = async (db, target) => {
  const isOfTarget =
    target.kind === "tenant"
      ? sql`tenant_id = ${target.tenantId}`
      : sql`tenant_id = ${target.tenantId} and user_id = ${target.userId}`;
  const { rows } = await sql`select from recent_requests where ${isOfTarget} limit 1`.execute(db);
  if (rows.length === 0) return undefined;
  const locked = sql`select ctid from recent_requests where ${isOfTarget} limit ${ROWS_AT_ONCE} for update skip locked`;
  return {
    subjects: [],
    async remove(trx) {
      const { numAffectedRows = 0n } = await sql`
        delete from recent_requests where ctid = any(array(${locked}))`.execute(trx);
      return { requests: Number(numAffectedRows) };
    },
  };
};
