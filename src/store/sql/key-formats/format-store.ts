import { type Kysely, type Selectable, sql } from "kysely";
import { type Audited, changesBetween } from "../../../domain/audit/changes.ts";
import type { Act } from "../../../domain/audit/event.ts";
import { auditedFormat } from "../../../domain/key-formats/audited-format.ts";
import type { CheckedFormat } from "../../../domain/key-formats/checked-format.ts";
import type { KeyFormatStore } from "../../../domain/key-formats/format-store.ts";
import type { KeyFormat, KeyFormatList } from "../../../domain/key-formats/key-format.ts";
import type { Clock } from "../../../domain/vocabulary/clock.ts";
import type { Invalidation } from "../../replicas/invalidation.ts";
import { FORMATS_SUBJECT } from "../../replicas/subjects.ts";
import { insertEvent } from "../audit/audit-rows.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { foundOf, proven } from "../driver/history.ts";
import { type SqlNow, sqlNow } from "../driver/now.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import { changeBound, NO_CACHE } from "../replicas/bound-change.ts";
import type { Schema } from "../schema.ts";

/** Key formats in SQL. Uses `db` outside transactions only. `clock` is for tests. */
export function createKeyFormatStore(
  database: Pick<SqlDatabase, "db" | "history">,
  invalidation: Invalidation = NO_CACHE,
  clock?: Clock,
): KeyFormatStore {
  const { db } = database;
  const now = sqlNow(clock);
  // No change of formats takes rights from a key: none that is in use is removed. So no change has a state to promise.
  const change = <Result>({ requestId }: Act, work: (trx: Kysely<Schema>) => Promise<Result>): Promise<Result> =>
    translateOutage(() =>
      changeBound(db, invalidation, FORMATS_SUBJECT, async (trx) => {
        await lockFormats(trx, "alone");
        return { result: await work(trx), state: null, requestId };
      }),
    );
  return {
    readFormats: () =>
      translateOutage(async () => {
        const { rows } = await proven(database.history, selectFormats(db)).execute(db);
        return listOf(foundOf(rows));
      }),
    insertFormat: (format, check, act) =>
      change(act, async (trx) => {
        check(await readLocked(trx));
        return insertFormat(trx, format, act);
      }),
    deleteFormat: (name, act) =>
      change(act, async (trx) => {
        const format = (await readLocked(trx)).find((each) => each.name === name);
        if (format === undefined) return "not_found";
        if (await isInUse(trx, name, now())) return "in_use";
        await trx.deleteFrom("key_formats").where("key_format", "=", name).execute();
        await recordFormat(trx, act, name, { before: auditedFormat(format) });
        return "deleted";
      }),
  };
}

/**
 * Locks the formats until the transaction ends, so that new ones are compared with each other, and none is removed while keys of it are
 * imported.
 */
export async function lockFormats(trx: Kysely<Schema>, mode: "alone" | "shared"): Promise<void> {
  const lock = mode === "alone" ? sql`pg_advisory_xact_lock` : sql`pg_advisory_xact_lock_shared`;
  await sql`select ${lock}(hashtextextended('key_formats', 0))`.execute(trx);
}

type FormatRow = Selectable<Schema["key_formats"]>;

function selectFormats(db: Kysely<Schema>) {
  return db.selectFrom("key_formats").selectAll();
}

/** Under the lock. */
async function readLocked(trx: Kysely<Schema>): Promise<readonly KeyFormat[]> {
  return listOf(await selectFormats(trx).execute()).formats;
}

function listOf(rows: readonly FormatRow[]): KeyFormatList {
  return { formats: rows.toSorted((one, other) => one.seq - other.seq).map(formatOf) };
}

function formatOf({ key_format, format, created_at }: FormatRow): KeyFormat {
  return { ...format, name: key_format, createdAt: created_at };
}

async function insertFormat(trx: Kysely<Schema>, { name, ...format }: CheckedFormat, act: Act): Promise<KeyFormat> {
  const row = await trx
    .insertInto("key_formats")
    .values({ key_format: name, format: JSON.stringify(format) })
    .returningAll()
    .executeTakeFirstOrThrow();
  const inserted = formatOf(row);
  await recordFormat(trx, act, name, { after: auditedFormat(inserted) });
  return inserted;
}

/** Formats are of no tenant, and so are the events of their changes. */
async function recordFormat(
  trx: Kysely<Schema>,
  act: Act,
  name: string,
  states: { readonly before?: Audited; readonly after?: Audited },
): Promise<void> {
  const changes = changesBetween(states.before, states.after);
  await insertEvent(trx, { ...act, tenantId: null, targetId: name, changes, refusal: null });
}

async function isInUse(trx: Kysely<Schema>, name: string, now: ReturnType<SqlNow>): Promise<boolean> {
  const key = await trx
    .selectFrom("api_keys")
    .select("key_id")
    .where("key_format", "=", name)
    .where("revoked_at", "is", null)
    .where(({ or, eb }) => or([eb("expires_at", "is", null), eb("expires_at", ">", now)]))
    .limit(1)
    .executeTakeFirst();
  return key !== undefined;
}
