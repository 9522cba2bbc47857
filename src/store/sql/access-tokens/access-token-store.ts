import { type Kysely, type RawBuilder, sql } from "kysely";
import type { AccessTokenPage, AccessTokenStore, TokensOf } from "../../../domain/access-tokens/access-token-store.ts";
import { auditedToken } from "../../../domain/access-tokens/audited-token.ts";
import { LIVE_TOKENS_MAX, type TokenSource, tooManyTokens } from "../../../domain/access-tokens/live-tokens.ts";
import type { Act } from "../../../domain/audit/event.ts";
import type { AccessTokenRecord, NewAccessToken } from "../../../domain/credentials/access-token.ts";
import type { Clock } from "../../../domain/vocabulary/clock.ts";
import { RequestFault } from "../../../domain/vocabulary/request-fault.ts";
import type { TimeCursor } from "../../../domain/vocabulary/time-cursor.ts";
import type { Invalidation } from "../../replicas/invalidation.ts";
import { tokenSubject } from "../../replicas/subjects.ts";
import { creationRow, recordChange } from "../audit/audit-rows.ts";
import { createBatches } from "../driver/batches.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { findProven, isStale, refuseStale } from "../driver/history.ts";
import { ofTenant } from "../driver/list-turns.ts";
import { commitLocally } from "../driver/local-commit.ts";
import { givenInstant, sqlNow } from "../driver/now.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import { claimCall } from "../idempotency/idempotent-calls.ts";
import { ERASED_REASON, lockRules } from "../keys/key-policies.ts";
import { changeBound, NO_CACHE } from "../replicas/bound-change.ts";
import type { Schema } from "../schema.ts";
import { TOKEN_COLUMNS, type TokenRow, tokenOf, tokenRow } from "./token-rows.ts";

/** Access tokens in SQL. Uses `database.db` outside transactions only. `clock` is for tests. */
export function createAccessTokenStore(
  database: SqlDatabase,
  invalidation: Invalidation = NO_CACHE,
  clock?: Clock,
): AccessTokenStore {
  const { db, history, internal, lists } = database;
  const now = sqlNow(clock);
  const findInBatch = createBatches((tokenIds: readonly string[]) => findTokens(database, tokenIds));
  return {
    addToken: (token, act, call) =>
      translateOutage(() =>
        db.transaction().execute(async (trx) => {
          await claimCall(trx, history, call, token.tokenId, now());
          await addToken(trx, token, act, now());
        }),
      ),
    hasRoom: (source) => translateOutage(async () => (await liveTokens(db, source, now())) < LIVE_TOKENS_MAX),
    findToken: (tokenId) => translateOutage(() => findInBatch("", tokenId)),
    listTokens: (of, page) =>
      translateOutage(() => lists(ofTenant(of.tenantId), (reader) => listTokens(reader, of, page, now()))),
    revokeToken: (of, tokenId, act) =>
      translateOutage(async () => {
        const owned = await findProven(database, selectOwned(db, of, tokenId));
        if (owned === undefined) return undefined;
        return changeBound(db, invalidation, tokenSubject(tokenId), async (trx) => ({
          result: await revokeToken(trx, of, tokenId, act, now()),
          state: { kind: "token", tenantId: of.tenantId, tokenId },
          requestId: act.requestId,
        }));
      }),
    removeOldTokens: () => translateOutage(() => commitLocally(internal, (trx) => removeOldTokens(trx, now()))),
  };
}

/**
 * The first lock has an erasure of the tenant come before or after, the second makes concurrent calls count each other's tokens.
 * Reads after them see everything that was committed before they were granted.
 */
async function addToken(trx: Kysely<Schema>, token: NewAccessToken, act: Act, now: RawBuilder<Date>): Promise<void> {
  const { tenantId, tokenId } = token;
  await lockRules(trx, tenantId, "shared");
  await lockSource(trx, token);
  const erased = await trx
    .selectFrom("tenant_suspensions")
    .select("tenant_id")
    .where("tenant_id", "=", tenantId)
    .where("reason", "=", ERASED_REASON)
    .executeTakeFirst();
  if (erased !== undefined) {
    throw new RequestFault("tenant_erased", "The tenant was erased, and gets no token until it is resumed.");
  }
  if ((await liveTokens(trx, token, now)) >= LIVE_TOKENS_MAX) throw tooManyTokens(token);
  await trx
    .with("added", (query) => query.insertInto("access_tokens").values(tokenRow(token, now)))
    .insertInto("audit_events")
    .values(creationRow(act, { tenantId, targetId: tokenId }, auditedToken(token)))
    .execute();
}

function sourceId({ keyId, ruleId }: TokenSource): string {
  return ruleId ?? keyId;
}

async function lockSource(trx: Kysely<Schema>, source: TokenSource): Promise<void> {
  const name = JSON.stringify(["tokens", sourceId(source)]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);
}

/** How many of its tokens have not expired, of which no more are counted than may be. */
async function liveTokens(db: Kysely<Schema>, source: TokenSource, now: RawBuilder<Date>): Promise<number> {
  const { rows } = await sql<{ live: number }>`
    select count(*)::int as live from (
      select from access_tokens
      where coalesce(rule_id, key_id) = ${sourceId(source)} and tenant_id = ${source.tenantId} and expires_at > ${now}
      limit ${LIVE_TOKENS_MAX}
    ) as counted`.execute(db);
  return rows[0]?.live ?? 0;
}

type FoundRow = { readonly is_stale: boolean } & (TokenRow | { readonly token_id: null });

/** One row for each id. Throws if the server may lack a token, or a change that was acknowledged. */
async function findTokens(
  database: SqlDatabase,
  tokenIds: readonly string[],
): Promise<(AccessTokenRecord | undefined)[]> {
  const ids = JSON.stringify([...new Set(tokenIds)]);
  const query = sql<FoundRow>`
    select ${isStale(database.history)} as is_stale, found.*
    from jsonb_array_elements_text(cast(${ids} as text)::jsonb) as wanted (id)
    left join access_tokens as found on found.token_id = wanted.id`.compile(database.db);
  const rows = await database.prepared("find_access_tokens", query);
  refuseStale(rows);
  const found = new Map(rows.flatMap((row) => (row.token_id === null ? [] : [[row.token_id, tokenOf(row)] as const])));
  return tokenIds.map((tokenId) => found.get(tokenId));
}

/** With the order by tenant or key, only an index that begins with it gives the order, as in the audit trail. */
async function listTokens(
  db: Kysely<Schema>,
  { tenantId, keyId }: TokensOf,
  { after, perPage }: { readonly after: TimeCursor | undefined; readonly perPage: number },
  now: RawBuilder<Date>,
): Promise<AccessTokenPage> {
  // In the order of the indexes: in another one, the planner would read and sort all tokens of a tenant.
  let query = db
    .selectFrom("access_tokens")
    .select([...TOKEN_COLUMNS, "seq"])
    .where("expires_at", ">", now);
  query =
    keyId === null
      ? query.where(sql<boolean>`tenant_id = any(array[cast(${tenantId} as text)])`).orderBy("tenant_id")
      : query
          .where("tenant_id", "=", tenantId)
          .where(sql<boolean>`key_id = any(array[cast(${keyId} as text)])`)
          .orderBy("key_id");
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(created_at, seq) < (${givenInstant(new Date(after.atMs))}, cast(${after.seq} as bigint))`,
    );
  }
  const rows = await query
    .orderBy("created_at", "desc")
    .orderBy("seq", "desc")
    .limit(perPage + 1)
    .execute();
  const shown = rows.slice(0, perPage);
  const last = rows.length > perPage ? shown.at(-1) : undefined;
  return { tokens: shown.map(tokenOf), next: last && { atMs: last.created_at.getTime(), seq: last.seq } };
}

function selectOwned(db: Kysely<Schema>, { tenantId, keyId }: TokensOf, tokenId: string) {
  const query = db
    .selectFrom("access_tokens")
    .select(TOKEN_COLUMNS)
    .where("tenant_id", "=", tenantId)
    .where("token_id", "=", tokenId);
  return keyId === null ? query : query.where("key_id", "=", keyId);
}

async function revokeToken(
  trx: Kysely<Schema>,
  of: TokensOf,
  tokenId: string,
  act: Act,
  now: RawBuilder<Date>,
): Promise<AccessTokenRecord | undefined> {
  const row = await selectOwned(trx, of, tokenId).forUpdate().executeTakeFirst();
  const current = row && tokenOf(row);
  if (current === undefined || current.revokedAt !== null) return current;
  const { tenantId } = of;
  const changed = await trx
    .updateTable("access_tokens")
    .set({ revoked_at: now })
    .where("tenant_id", "=", tenantId)
    .where("token_id", "=", tokenId)
    .returning(TOKEN_COLUMNS)
    .executeTakeFirstOrThrow();
  const revoked = tokenOf(changed);
  const states = { before: auditedToken(current), after: auditedToken(revoked) };
  await recordChange(trx, act, { tenantId, targetId: tokenId }, states);
  return revoked;
}

const REMOVED_AT_ONCE = 500;

async function removeOldTokens(db: Kysely<Schema>, now: RawBuilder<Date>): Promise<boolean> {
  const { numAffectedRows: tokens = 0n } = await sql`
    delete from access_tokens where token_id = any(array(
      select token_id from access_tokens where expires_at < ${now} - interval '1 day'
      order by expires_at limit ${REMOVED_AT_ONCE} for update skip locked
    ))`.execute(db);
  const { numAffectedRows: uses = 0n } = await sql`
    delete from used_once where hash = any(array(
      select hash from used_once where until < ${now} order by until limit ${REMOVED_AT_ONCE} for update skip locked
    ))`.execute(db);
  return [tokens, uses].some((removed) => Number(removed) === REMOVED_AT_ONCE);
}
