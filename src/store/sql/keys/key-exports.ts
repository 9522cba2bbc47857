import type { Kysely } from "kysely";
import { changesBetween } from "../../../domain/audit/changes.ts";
import type { Act } from "../../../domain/audit/event.ts";
import type { StoredKey } from "../../../domain/imports/import-store.ts";
import { insertEvent } from "../audit/audit-rows.ts";
import { hashOf } from "../driver/hash-bytes.ts";
import type { Schema } from "../schema.ts";
import { DETAIL_COLUMNS, detailsOf } from "./key-rows.ts";

/** Who takes hashes is seen in the trail: the event is committed before they are answered. */
export async function exportKeys(
  trx: Kysely<Schema>,
  { after, most }: { readonly after: number; readonly most: number },
  act: Act,
): Promise<readonly StoredKey[]> {
  const rows = await trx
    .selectFrom("api_keys")
    .select([...DETAIL_COLUMNS, "seq", "secret_hash", "public_part", "imported_digest"])
    .where("seq", ">", after)
    // The keys that remain of an erased tenant have no name.
    .where("name", "<>", "")
    .orderBy("seq")
    .limit(most)
    .execute();
  const changes = changesBetween(undefined, { keys: rows.length });
  await insertEvent(trx, { ...act, tenantId: null, targetId: "", changes, refusal: null });
  return rows.map((row) => ({
    details: detailsOf(row),
    seq: row.seq,
    secretHash: hashOf(row.secret_hash),
    publicPart: row.public_part,
    digest: row.imported_digest,
  }));
}
