import { createServer, connect as tcpConnect } from "node:net";
import { sql } from "kysely";
import pg from "pg";
import { afterEach, describe, expect, inject, test } from "vitest";
import { openDatabase, type SqlDatabase } from "../../src/store/sql/database.ts";
import { createKeyStore } from "../../src/store/sql/key-store.ts";
import { migrateToLatest } from "../../src/store/sql/migrate.ts";
import { dashboardOf, instant, useKey } from "../harness/key-management.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { SECOND } from "../harness/test-clock.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";
import { newKey } from "./records.ts";

const serverUrl = inject("postgresUrl");
const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A database that an administrator has set up in their own way. */
async function databaseWith(settings: Record<string, string>, options?: string): Promise<string> {
  const url = await createDatabase(serverUrl, options);
  cleanUps.push(() => dropDatabase(serverUrl, url));
  for (const [name, value] of Object.entries(settings)) {
    await asAdmin(`alter database ${new URL(url).pathname.slice(1)} set ${name} = '${value}'`);
  }
  return url;
}

async function asAdmin(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
}

async function open(url: string): Promise<SqlDatabase> {
  const database = await openDatabase({ kind: "postgres", url });
  cleanUps.push(() => database.close());
  await migrateToLatest(database);
  return database;
}

async function start(url: string): Promise<Latchkey> {
  const latchkey = await startLatchkey({ config: { storage: { kind: "postgres", url } } });
  cleanUps.push(() => latchkey.close());
  return latchkey;
}

/** What opening it fails with. */
async function refusal(url: string): Promise<string> {
  return openDatabase({ kind: "postgres", url }).then(
    async (database) => {
      await database.close();
      return "it opened";
    },
    (err: Error) => err.message,
  );
}

describe.each([
  { datestyle: "SQL, DMY", timezone: "Asia/Kolkata" },
  { datestyle: "German", timezone: "America/St_Johns" },
  { datestyle: "Postgres, MDY", timezone: "UTC" },
])("on a database that writes dates as $datestyle, in $timezone,", (settings) => {
  test("a key that was revoked, disabled, rotated without grace or has expired stays so", async () => {
    const latchkey = await start(await databaseWith(settings));
    const dashboard = dashboardOf(latchkey);
    const [revoked, disabled, rotated, expired] = await Promise.all([
      dashboard.createKey(),
      dashboard.createKey(),
      dashboard.createKey(),
      dashboard.createKey({ expires_at: instant(latchkey, 5 * SECOND) }),
    ]);
    for (const { key } of [revoked, disabled, rotated, expired]) expect(await useKey(latchkey, key)).toBe("admitted");
    await dashboard.result("revoke", { key_id: revoked.key_id });
    await dashboard.result("disable", { key_id: disabled.key_id });
    await dashboard.result("rotate", { key_id: rotated.key_id, grace_period_hours: 0 });
    latchkey.clock.advance(6 * SECOND);
    expect(await useKey(latchkey, revoked.key)).toBe("api_key_revoked");
    expect(await useKey(latchkey, disabled.key)).toBe("api_key_disabled");
    expect(await useKey(latchkey, rotated.key)).toBe("api_key_expired");
    expect(await useKey(latchkey, expired.key)).toBe("api_key_expired");
  });
});

describe("an instant that cannot be read", () => {
  test.each(["infinity", "-infinity"])("fails the statement, and is never taken for none: %s", async (instant) => {
    const database = await open(await databaseWith({}));
    const { record, secretHash } = newKey();
    const keys = createKeyStore(database);
    await keys.insertKey({ record, secretHash });
    await sql`update api_keys set revoked_at = ${instant}`.execute(database.db);
    await expect(keys.findKeyBySecretHash(secretHash)).rejects.toThrow("instant");
    await expect(keys.findKey(record.tenantId, record.keyId)).rejects.toThrow("instant");
  });

  test("fails the statement when a session's style is changed behind our back", async () => {
    const { db } = await open(await databaseWith({}));
    const { record, secretHash } = newKey({ revokedAt: new Date() });
    await db.connection().execute(async (db) => {
      const keys = createKeyStore({ ...(await open(await databaseWith({}))), db });
      await keys.insertKey({ record, secretHash });
      await sql`set datestyle = 'German'`.execute(db);
      await expect(keys.findKey(record.tenantId, record.keyId)).rejects.toThrow("instant");
    });
  });
});

describe.each(["serializable", "repeatable read"])(
  "on a database whose transactions are %s unless they say otherwise,",
  (isolation) => {
    test("changes of a key at the same time are all made", async () => {
      const database = await open(await databaseWith({ default_transaction_isolation: isolation }));
      const keys = createKeyStore(database);
      const { record, secretHash } = newKey();
      await keys.insertKey({ record, secretHash });
      const more = () => keys.mutateKey(record.tenantId, record.keyId, ({ name }) => ({ patch: { name: `${name}+` } }));
      await Promise.all(Array.from({ length: 10 }, more));
      expect((await keys.findKey(record.tenantId, record.keyId))?.name).toBe(`${record.name}${"+".repeat(10)}`);
    });
  },
);

describe("the options of DATABASE_URL", () => {
  test("are kept, but win over nothing that we rely on", async () => {
    const url = new URL(await databaseWith({}));
    url.searchParams.set("options", "-c datestyle=German -c work_mem=7MB");
    const { db } = await open(url.href);
    const { rows } =
      await sql`select current_setting('datestyle') as style, current_setting('work_mem') as memory`.execute(db);
    expect(rows).toEqual([{ style: expect.stringMatching(/^ISO/), memory: "7MB" }]);
  });
});

describe("opening fails with what to do", () => {
  test("where a pooler gives sessions another style of dates than we ask for", async () => {
    const url = new URL(await databaseWith({}));
    const { hostname, port } = url;
    const pooler = createServer((client) => {
      const server = tcpConnect(Number(port), hostname);
      client.once("data", (startup) => {
        server.write(Buffer.from(startup.toString("latin1").replace("datestyle=ISO", "datestyle=SQL"), "latin1"));
        client.pipe(server).pipe(client);
      });
    }).listen(0, "127.0.0.1");
    cleanUps.push(async () => pooler.close());
    await new Promise((resolve) => pooler.once("listening", resolve));
    const address = pooler.address();
    url.port = String(address !== null && typeof address === "object" && address.port);
    expect(await refusal(url.href)).toMatch(/^The database at .* datestyle .*alter role .* set datestyle/);
  });
});
