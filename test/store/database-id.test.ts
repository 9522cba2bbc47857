import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readDatabaseId } from "../../src/store/sql/database-id.ts";
import { openDatabase } from "../../src/store/sql/open.ts";
import { createDatabase, type PostgresServer, startOwnPostgres } from "../servers/postgres.ts";

let server: PostgresServer;

beforeAll(async () => {
  server = await startOwnPostgres();
});

afterAll(() => server.stop());

async function idOf(url: string): Promise<string> {
  const database = await openDatabase({ kind: "postgres", url, poolSize: 1 });
  return readDatabaseId(database).finally(() => database.close());
}

test("two databases of a server have two ids, and each keeps its own", async () => {
  const [one, other] = [await createDatabase(server.url), await createDatabase(server.url)];
  const ids = [await idOf(one), await idOf(one), await idOf(other)];
  expect(ids[0]).toMatch(/^[1-9]\d+\.\d+$/);
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).not.toBe(ids[0]);
});

test("a role that may not read the id of the cluster still gets an id", async () => {
  const url = new URL(await createDatabase(server.url));
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query("create role plain login password 'plain'");
  await client.query("revoke execute on function pg_control_system() from public");
  await client.end();
  [url.username, url.password] = ["plain", "plain"];
  expect(await idOf(url.href)).toMatch(/^0\.[1-9]\d*$/);
});
