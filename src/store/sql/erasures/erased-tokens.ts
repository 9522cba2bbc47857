import type { ErasureTarget } from "../../../domain/erasures/erasure.ts";
import { tokenSubject } from "../../replicas/subjects.ts";
import { type FindPiece, SUBJECTS_AT_ONCE } from "./erasure-piece.ts";

/** The tokens for keys of a tenant, or those that act for a user in it, who has no issuer there. They are refused from then on. */
export const findAccessTokens: FindPiece<ErasureTarget> = async (db, target) => {
  const ofTenant = db.selectFrom("access_tokens").select("token_id").where("tenant_id", "=", target.tenantId);
  const found = target.kind === "tenant" ? ofTenant : ofTenant.where("user_id", "=", target.userId);
  const rows = await found.limit(SUBJECTS_AT_ONCE).execute();
  if (rows.length === 0) return undefined;
  const tokenIds = rows.map(({ token_id }) => token_id);
  return {
    subjects: tokenIds.map(tokenSubject),
    async remove(trx) {
      const { numDeletedRows } = await trx
        .deleteFrom("access_tokens")
        .where("tenant_id", "=", target.tenantId)
        .where("token_id", "in", tokenIds)
        .executeTakeFirstOrThrow();
      return { access_tokens: Number(numDeletedRows) };
    },
  };
};
