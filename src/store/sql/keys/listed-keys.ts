import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type OrderByItemBuilder,
  type SqlBool,
  sql,
} from "kysely";
import type { KeyFilter, KeyOrder } from "../../../domain/keys/filter.ts";
import type { KeyDetails } from "../../../domain/keys/key-details.ts";
import type { KeySearch } from "../../../domain/keys/key-store.ts";
import type { Page, PageRequest } from "../../../domain/vocabulary/page.ts";
import { hashBytes } from "../driver/hash-bytes.ts";
import { givenInstant } from "../driver/now.ts";
import { type Listed, offsetOf, pageOf } from "../driver/paging.ts";
import type { Schema } from "../schema.ts";
import { DETAIL_COLUMNS, type DetailRow, detailsOf, LAST_USED_AT } from "./key-rows.ts";

const EXPIRY = sql<Date>`coalesce(expires_at, 'infinity')`;
const LATEST_FIRST = (order: OrderByItemBuilder) => order.desc().nullsLast();

export function listKeys(
  db: Kysely<Schema>,
  tenantId: string,
  filter: KeyFilter,
  page: PageRequest,
): Promise<Page<KeyDetails>> {
  const isListed = (eb: KeyExpressions) =>
    eb.and([eb("tenant_id", "=", tenantId), hasStatus(eb, filter), ...conditionsOf(eb, tenantId, filter)]);
  return readPage(db, isListed, page, filter.order);
}

export function searchKeys(db: Kysely<Schema>, search: KeySearch, page: PageRequest): Promise<Page<KeyDetails>> {
  return readPage(db, (eb) => isSought(eb, search), page);
}

type KeyExpressions = ExpressionBuilder<Schema, "api_keys">;

function isSought(eb: KeyExpressions, search: KeySearch) {
  switch (search.by) {
    case "id":
      return eb("key_id", "=", search.keyId);
    case "prefix":
      return startsWith(search.prefix);
    case "secret":
      return eb("secret_hash", "=", hashBytes(search.secretHash));
    default:
      return search satisfies never;
  }
}

/** The conditions of a list beside the status: none for what the filter does not name. Each has an index. */
function conditionsOf(eb: KeyExpressions, tenantId: string, filter: KeyFilter): Expression<SqlBool>[] {
  const { type = null, externalId = "", namePrefix = "", secretPrefix = "", scope = "", part = "" } = filter;
  const { lastUsedBefore = null, expiresBefore = null, isLeaked = false, isImported = false, keyFormat = "" } = filter;
  return [
    ...(type === null ? [] : [eb("type", "=", type)]),
    ...(externalId === "" ? [] : [eb("external_id", "=", externalId)]),
    // In the collation C only ASCII has two cases, in every database.
    ...(namePrefix === "" ? [] : [sql<boolean>`starts_with(lower(name collate "C"), ${namePrefix})`]),
    ...(secretPrefix === "" ? [] : [startsWith(secretPrefix)]),
    ...(scope === "" ? [] : [hasScope(tenantId, scope)]),
    ...(lastUsedBefore === null ? [] : [isUnusedSince(lastUsedBefore)]),
    // The second says nothing that the first does not, but with the status it is the other bound of an index.
    ...(expiresBefore === null ? [] : [eb("expires_at", "<", expiresBefore), eb(EXPIRY, "<", expiresBefore)]),
    ...(isLeaked ? [eb("leaked_at", "is not", null)] : []),
    ...(isImported ? [eb("key_format", "is not", null)] : []),
    // The second says nothing that the first does not, but is the condition of the index.
    ...(keyFormat === "" ? [] : [eb("key_format", "=", keyFormat), eb("key_format", "is not", null)]),
    ...(part === "" ? [] : [hasPart(tenantId, part)]),
  ];
}

/**
 * A subquery with one row, so that the planner looks up each key that is old enough: of a join it would read all tenants' uses.
 */
function isUnusedSince(instant: Date) {
  const given = givenInstant(instant);
  return sql<boolean>`(
    created_at < ${given}
    and coalesce((select last_used_at from key_usage where key_usage.key_id = api_keys.key_id), created_at) < ${given}
  )`;
}

/** The columns are in the index `api_keys_sought`. Of the wide table only keys with metadata are read. */
function hasPart(tenantId: string, part: string) {
  const has = (column: "name" | "key_id" | "external_id") =>
    sql<boolean>`position(${part} in lower(${sql.ref(column)} collate "C")) > 0`;
  const isInMetadata = sql<boolean>`seq in (
    select noted.seq from api_keys as noted where noted.tenant_id = ${tenantId} and noted.metadata is not null and exists (
      select from json_each_text(noted.metadata) as member where position(${part} in lower(member.value collate "C")) > 0
    )
  )`;
  return sql<boolean>`(${has("name")} or ${has("key_id")} or coalesce(${has("external_id")}, false) or ${isInMetadata})`;
}

function startsWith(prefix: string) {
  return sql<boolean>`starts_with(secret_prefix, ${prefix})`;
}

/** The index has numbers for scopes, of which two may be equal. */
function hasScope(tenantId: string, scope: string) {
  return sql<boolean>`(
    key_scope_numbers(tenant_id, permissions) @> key_scope_numbers(${tenantId}, jsonb_build_array(cast(${scope} as text)))
    and permissions @> jsonb_build_array(cast(${scope} as text))
  )`;
}

/** Newest first, or by last use. */
async function readPage(
  db: Kysely<Schema>,
  isListed: (eb: KeyExpressions) => Expression<SqlBool>,
  page: PageRequest,
  order: KeyOrder = "created_at",
): Promise<Page<KeyDetails>> {
  const keys = db.selectFrom("api_keys").where(isListed);
  const counted = keys.select((eb) => eb.fn.countAll<number>().as("total"));
  const isByUse = order === "last_used_at";
  const places = keys
    .select("seq")
    .$if(isByUse, (query) => query.select(LAST_USED_AT).orderBy("last_used_at", LATEST_FIRST))
    .orderBy("created_at", "desc")
    .orderBy("seq", "desc")
    .limit(page.perPage)
    .offset(offsetOf(page));
  const rows = await db
    .selectFrom(counted.as("counted"))
    .leftJoin(places.as("places"), (join) => join.onTrue())
    .leftJoin("api_keys", "api_keys.seq", "places.seq")
    .select(["total", ...DETAIL_COLUMNS])
    .$if(isByUse, (query) => query.orderBy("last_used_at", LATEST_FIRST))
    .orderBy("created_at", "desc")
    .orderBy("api_keys.seq", "desc")
    .$castTo<Listed<DetailRow, "key_id">>()
    .execute();
  return pageOf(rows, (row) => (row.key_id === null ? [] : [detailsOf(row)]));
}

/**
 * `keyStatus` of the domain as an SQL condition, with the same precedence (`test/store/key-status-cases.ts`). The expiry is
 * written as its index has it.
 */
function hasStatus(eb: KeyExpressions, { status, now }: KeyFilter) {
  const usable = [eb("revoked_at", "is", null), eb("disabled_at", "is", null)];
  switch (status) {
    case null:
      return eb.lit(true);
    case "revoked":
      return eb("revoked_at", "is not", null);
    case "disabled":
      return eb.and([eb("revoked_at", "is", null), eb("disabled_at", "is not", null)]);
    case "expired":
      return eb.and([...usable, eb(EXPIRY, "<=", now)]);
    case "active":
      return eb.and([...usable, eb(EXPIRY, ">", now)]);
    default:
      return status satisfies never;
  }
}
