import { sql } from "kysely";
import type { DatabaseOptions } from "../src/config/settings.ts";
import type { KeyType, OidcConfig } from "../src/domain/credentials/key.ts";
import { hashSecret, makeSecret, secretPrefix } from "../src/domain/credentials/secret.ts";
import { newId } from "../src/domain/vocabulary/ids.ts";
import { openDatabase } from "../src/store/sql/driver/open.ts";

/** Keys of one tenant, as the holder of each presents it. */
export interface BenchKeys {
  readonly tenant: string;
  /** Secret keys that requests are made with. */
  readonly secrets: readonly string[];
  readonly publishable: readonly string[];
  /** Secret keys that admit 100 requests a minute, each to be used up once. */
  readonly limited: readonly string[];
  /** Secret keys without a limit. */
  readonly unlimited: readonly string[];
  /** Without a limit, for addresses of loopback alone. */
  readonly fenced: readonly string[];
  /** Without a limit, revoked. */
  readonly revoked: readonly string[];
  /** Publishable, with a limit for each user alone. */
  readonly userLimited: readonly string[];
}

/** A key that a dashboard user of the tenant may revoke. */
export interface RevocableKey {
  readonly id: string;
  readonly secret: string;
}

/** Keys that requests use. More would be no other case: it is the table's size that a look-up may depend on. */
const IN_USE_MAX = 50_000;
const PUBLISHABLE = 1_000;
const LIMITED = 500;
const UNLIMITED = 1_000;
const OF_ONE_KIND = 1_000;
export const LIMIT = 100;
/** High enough that no request of a run is denied, and still a limit that has to be counted. */
export const NO_DENIAL_LIMIT = 100_000_000;
const ROWS_PER_STATEMENT = 5_000;

export function makeKeys(tableSize: number, inUseMax = IN_USE_MAX): BenchKeys {
  const make = (count: number, type: KeyType) => Array.from({ length: count }, () => makeSecret(type));
  return {
    tenant: newId("ten"),
    secrets: make(Math.min(tableSize, inUseMax), "secret"),
    publishable: make(Math.min(tableSize, PUBLISHABLE), "publishable"),
    limited: make(LIMITED, "secret"),
    unlimited: make(UNLIMITED, "secret"),
    fenced: make(OF_ONE_KIND, "secret"),
    revoked: make(OF_ONE_KIND, "secret"),
    userLimited: make(OF_ONE_KIND, "publishable"),
  };
}

/** Fills a database of the product, whose tables are there, as if the keys had been created through the API. */
export async function storeKeys(
  options: DatabaseOptions,
  keys: BenchKeys,
  tableSize: number,
  oidc: OidcConfig,
): Promise<void> {
  const database = await openDatabase(options);
  try {
    await database.withoutTimeLimits(async (db) => {
      const insert = async (secrets: readonly string[], type: KeyType, limit: number) => {
        for (let n = 0; n < secrets.length; n += ROWS_PER_STATEMENT) {
          const part = secrets.slice(n, n + ROWS_PER_STATEMENT);
          await insertKeys(
            keys.tenant,
            part,
            part.map(newKeyId),
            type,
            limit,
            type === "secret" ? null : JSON.stringify(oidc),
          ).execute(db);
        }
      };
      await insert(keys.secrets, "secret", NO_DENIAL_LIMIT);
      await insert(keys.publishable, "publishable", NO_DENIAL_LIMIT);
      await insert(keys.limited, "secret", LIMIT);
      await insert(keys.unlimited, "secret", 0);
      await insertUnused(tableSize - keys.secrets.length).execute(db);
      await sql`vacuum analyze api_keys`.execute(db);
    });
  } finally {
    await database.close();
  }
}

/** Adds the keys that an earlier version's tables cannot hold. */
export async function storeNewerKeys(options: DatabaseOptions, keys: BenchKeys, oidc: OidcConfig): Promise<void> {
  const database = await openDatabase(options);
  try {
    await database.withoutTimeLimits(async (db) => {
      const { tenant, fenced, revoked, userLimited } = keys;
      const insert = async (secrets: readonly string[], type: KeyType, member: ReturnType<typeof sql>) => {
        const ids = secrets.map(newKeyId);
        const provider = type === "secret" ? null : JSON.stringify(oidc);
        await insertKeys(tenant, secrets, ids, type, 0, provider).execute(db);
        await sql`update api_keys set ${member} where key_id = any(${ids}::text[])`.execute(db);
      };
      await insert(fenced, "secret", sql`allowed_ips = '["127.0.0.0/8"]'`);
      await insert(revoked, "secret", sql`revoked_at = now()`);
      await insert(userLimited, "publishable", sql`user_requests_per_minute = ${NO_DENIAL_LIMIT}::int`);
    });
  } finally {
    await database.close();
  }
}

/** Adds so many keys without a limit. */
export async function addRevocableKeys(url: string, tenant: string, count: number): Promise<RevocableKey[]> {
  const keys = Array.from({ length: count }, () => ({ id: newKeyId(), secret: makeSecret("secret") }));
  const [secrets, ids] = [keys.map(({ secret }) => secret), keys.map(({ id }) => id)];
  const database = await openDatabase({ kind: "postgres", url });
  try {
    await database.withoutTimeLimits((db) => insertKeys(tenant, secrets, ids, "secret", 0, null).execute(db));
  } finally {
    await database.close();
  }
  return keys;
}

function newKeyId(): string {
  return newId("key");
}

function insertKeys(
  tenant: string,
  secrets: readonly string[],
  ids: readonly string[],
  type: KeyType,
  limit: number,
  oidc: string | null,
) {
  const hashes = secrets.map((secret) => Buffer.from(hashSecret(secret), "base64url").toString("hex"));
  const prefixes = secrets.map(secretPrefix);
  return sql`
    insert into api_keys (key_id, tenant_id, secret_hash, secret_prefix, type, name, description, permissions,
      requests_per_minute, requests_per_hour, burst_size, oidc, created_at, updated_at)
    select key_id, ${tenant}, decode(hash, 'hex'), prefix, ${type}, 'benchmark', '', '["conversations:*"]',
      ${limit}::int, 0, 0, ${oidc}::jsonb, now(), now()
    from unnest(${ids}::text[], ${hashes}::text[], ${prefixes}::text[]) as given (key_id, hash, prefix)`;
}

/** Unused keys, which make the table and its indexes as large as in production. */
function insertUnused(count: number) {
  return sql`
    insert into api_keys (key_id, tenant_id, secret_hash, secret_prefix, type, name, description, permissions,
      requests_per_minute, requests_per_hour, burst_size, created_at, updated_at)
    select 'key_' || md5('id ' || n), 'ten_' || md5('tenant ' || n / 10), sha256(('unused ' || n)::bytea), 'sk_unused', 'secret',
      'benchmark', '', '["conversations:*"]', 600, 0, 0, now(), now()
    from generate_series(1, ${count}::int) as n`;
}
