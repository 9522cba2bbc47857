import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";

const ROOM_BYTES = 262_144;

/** A database of its own, with a setting for its sessions. */
async function open(setting?: string): Promise<{ database: SqlDatabase; query: <T>(sql: string) => Promise<T> }> {
  const server = inject("postgresUrl");
  const url = await createDatabase(server);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  if (setting !== undefined) await client.query(`alter database "${new URL(url).pathname.slice(1)}" set ${setting}`);
  const database = await openDatabase({ kind: "postgres", url });
  onTestFinished(async () => {
    await database.close();
    await client.end();
    await dropDatabase(server, url);
  });
  return { database, query: async (sql) => (await client.query(sql)).rows[0] };
}

test("proving that there is room writes a file of 256 KiB, and leaves nothing", async () => {
  const { database, query } = await open();
  const written = () =>
    query<{ bytes: string }>("select temp_bytes as bytes from pg_stat_database where datname = current_database()");
  const before = Number((await written()).bytes);
  await database.checkDiskSpace();
  // The server counts a session's files in when the session ends, at the latest.
  await expect.poll(async () => Number((await written()).bytes)).toBeGreaterThan(before + ROOM_BYTES);
  // Those of other databases are in the same folder, while other tests prove the same. A file has the number of its process.
  const { files } = await query<{ files: string }>(`
    select count(*) as files from pg_ls_tmpdir() join pg_stat_activity on name like 'pgsql_tmp' || pid || '.%'
    where datname = current_database()`);
  expect(Number(files)).toBe(0);
});

test("a limit for temporary files says nothing of the room, and does not break the connection", async () => {
  const { database } = await open("temp_file_limit = '64kB'");
  for (let n = 0; n < 3; n++) await database.checkDiskSpace();
});

test("a server that has become read-only is unavailable, whatever room it has", async () => {
  const { database, query } = await open();
  await database.checkDiskSpace();
  await query(
    `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
  );
  await query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'latchkey'",
  );
  await expect
    .poll(() => database.checkDiskSpace().catch((err: unknown) => err))
    .toSatisfy((err) => err instanceof StoreUnavailable && /read-only/.test(String(err.cause)));
});
