import { afterEach, describe, expect, inject, test } from "vitest";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { startLatchkey } from "../harness/latchkey.ts";
import { type PoolerOptions, startPgBouncer } from "../servers/pgbouncer.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";

const serverUrl = inject("postgresUrl");
const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function behindPooler(options: PoolerOptions): Promise<string> {
  const url = await createDatabase(serverUrl);
  cleanUps.push(() => dropDatabase(serverUrl, url));
  const pooler = await startPgBouncer(url, options);
  cleanUps.push(() => pooler.stop());
  return pooler.url;
}

/** What is wrong with the pooler of a database. */
async function problemAt(url: string): Promise<string | undefined> {
  const database = await openDatabase({ kind: "postgres", url, poolSize: 1 });
  return database.poolerProblem().finally(() => database.close());
}

/** The Debian release under these tests has PgBouncer 1.18, which does not track prepared statements. */
describe("a start ends with what to do", () => {
  test.each([
    ["statement", /^The database at .* allows no transactions: set its pool_mode = transaction or session\.$/],
    [
      "transaction",
      /^The database at .* loses prepared statements: use PgBouncer 1\.21 or later .* or pool_mode = session\.$/,
    ],
  ] as const)("where PgBouncer cannot work in %s mode", async (mode, problem) => {
    const url = await behindPooler({ mode });
    const started = startLatchkey({ config: { storage: { kind: "postgres", url } } });
    await expect(started).rejects.toThrow(problem);
    await expect(started).rejects.not.toThrow(new URL(url).password);
  });
});

describe("nothing is wrong", () => {
  test("with PgBouncer in session mode", async () => {
    const url = await behindPooler({ mode: "session" });
    expect(await problemAt(url)).toBeUndefined();
    const database = await openDatabase({ kind: "postgres", url, poolSize: 1 });
    await migrateToLatest(database);
    // Then the connections of the server are not those of the service, and too few of them are no warning.
    expect(await database.readSetup().finally(() => database.close())).toMatchObject({ isPooled: true });
  });

  test("as far as it can be seen where a pooler has only one connection, which cannot change", async () => {
    expect(await problemAt(await behindPooler({ poolSize: 1 }))).toBeUndefined();
  });

  test("without a pooler", async () => {
    expect(await problemAt(serverUrl)).toBeUndefined();
  });
});
