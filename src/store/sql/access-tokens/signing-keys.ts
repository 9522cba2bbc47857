import { type Selectable, sql } from "kysely";
import type { SigningKey, SigningKeyState, SigningKeyStore } from "../../../domain/access-tokens/signing-key.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { foundOf, type Proven, proven } from "../driver/history.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import type { Schema } from "../schema.ts";

type Db = SqlDatabase["db"];
type SigningKeyRow = Selectable<Schema["signing_keys"]>;

/** The signing keys in SQL. Unique indexes allow one active key and one next key. */
export function createSigningKeyStore(database: Pick<SqlDatabase, "db" | "history">): SigningKeyStore {
  const { db } = database;
  return {
    readKeys: () => translateOutage(() => readKeys(database)),
    addKey: (key) => translateOutage(() => addKey(db, key)),
    promote: (kids, until) => translateOutage(() => promote(db, kids, until)),
    reseal: (kid, sealed) => translateOutage(() => reseal(db, kid, sealed)),
    removeEnded: (now) => translateOutage(() => removeEnded(db, now)),
  };
}

/** Throws if the server may lack a key: the tokens that it has signed would be refused. */
async function readKeys({ db, history }: Pick<SqlDatabase, "db" | "history">): Promise<SigningKey[]> {
  const lookUp = db.selectFrom("signing_keys").selectAll();
  const { rows } = await sql<Proven<SigningKeyRow>>`
    ${proven(history, lookUp)} order by created_at desc, kid`.execute(db);
  return foundOf(rows).map(keyOf);
}

function keyOf({ kid, public_jwk, private_key, is_active, created_at, until }: SigningKeyRow): SigningKey {
  const state: SigningKeyState = until !== null ? { kind: "retired", until } : { kind: is_active ? "active" : "next" };
  return { kid, publicJwk: public_jwk, sealedKey: private_key, state, createdAt: created_at };
}

/** Waits for another replica that adds one at the same time, at the unique index. */
async function addKey(db: Db, { kid, publicJwk, sealedKey, state, createdAt }: SigningKey): Promise<void> {
  await db
    .insertInto("signing_keys")
    .values({
      kid,
      public_jwk: JSON.stringify(publicJwk),
      private_key: sealedKey,
      is_active: state.kind === "active",
      created_at: createdAt,
      until: state.kind === "retired" ? state.until : null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** One transaction with a lock on the row of the active key: of two replicas, the second finds that it is retired. */
async function promote(
  db: Db,
  { active, next }: { readonly active: string | undefined; readonly next: string },
  until: Date,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (active !== undefined) {
      const { numUpdatedRows } = await trx
        .updateTable("signing_keys")
        .set({ is_active: false, until })
        .where("kid", "=", active)
        .where("is_active", "=", true)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) return;
    }
    await trx
      .updateTable("signing_keys")
      .set({ is_active: true })
      .where("kid", "=", next)
      .where("until", "is", null)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom("signing_keys").select("kid").where("is_active", "=", true))),
      )
      .execute();
  });
}

async function reseal(
  db: Db,
  kid: string,
  { before, after }: { readonly before: Uint8Array; readonly after: Uint8Array },
): Promise<void> {
  await db
    .updateTable("signing_keys")
    .set({ private_key: after })
    .where("kid", "=", kid)
    .where("private_key", "=", before)
    .execute();
}

async function removeEnded(db: Db, now: Date): Promise<void> {
  await db.deleteFrom("signing_keys").where("until", "<=", now).execute();
}
