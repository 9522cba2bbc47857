import { type Kysely, type RawBuilder, sql } from "kysely";
import { AlreadyMade, type KeyRequest, type MadeKey, REPEATABLE_MS } from "../../../domain/keys/key-request.ts";
import { hashBytes } from "../driver/hash-bytes.ts";
import { plusMs } from "../driver/now.ts";
import type { Schema } from "../schema.ts";

/**
 * Claims a call for the key that the transaction makes. Throws `AlreadyMade` if one was made by it: the insert waits for
 * a concurrent transaction of the same call, so that of many exactly one makes a key. It comes before every other lock,
 * because the repetition must neither wait for them nor be refused for what the first call has used up.
 */
export async function claimRequest(
  trx: Kysely<Schema>,
  request: KeyRequest,
  keyId: string,
  now: RawBuilder<Date>,
): Promise<void> {
  const values = { content_hash: hashBytes(request.contentHash), key_id: keyId, made_at: now };
  const claimed = await trx
    .insertInto("key_requests")
    .values({ request_hash: hashBytes(request.requestHash), ...values })
    .onConflict((conflict) =>
      conflict
        .column("request_hash")
        .doUpdateSet(values)
        .where("key_requests.made_at", "<=", plusMs(now, -REPEATABLE_MS)),
    )
    .returning("key_id")
    .executeTakeFirst();
  if (claimed !== undefined) return;
  const made = await findMade(trx, request, now);
  if (made === undefined) throw new Error("a claimed request has no key");
  throw new AlreadyMade(made);
}

export async function findMade(
  db: Kysely<Schema>,
  { requestHash }: KeyRequest,
  now: RawBuilder<Date>,
): Promise<MadeKey | undefined> {
  const row = await db
    .selectFrom("key_requests")
    .innerJoin("api_keys", "api_keys.key_id", "key_requests.key_id")
    .select(["key_requests.key_id", "secret_prefix", "content_hash"])
    .where("request_hash", "=", hashBytes(requestHash))
    .where("made_at", ">", plusMs(now, -REPEATABLE_MS))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const contentHash = Buffer.from(row.content_hash).toString("base64url");
  return { keyId: row.key_id, secretPrefix: row.secret_prefix, contentHash };
}

const REMOVED_AT_ONCE = 1_000;

/** Removes some that can no longer be repeated. Concurrent removals skip each other's. */
export async function removeOldRequests(db: Kysely<Schema>, now: RawBuilder<Date>): Promise<boolean> {
  const { rows } = await sql`
    delete from key_requests where request_hash in (
      select request_hash from key_requests where made_at <= ${plusMs(now, -REPEATABLE_MS)}
      order by made_at limit ${REMOVED_AT_ONCE} for update skip locked
    ) returning 1`.execute(db);
  return rows.length === REMOVED_AT_ONCE;
}
