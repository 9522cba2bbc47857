import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { type Kysely, sql } from "kysely";
import pg from "pg";
import { afterEach, describe, expect, inject, test } from "vitest";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { tableGrants } from "../../src/store/sql/driver/grants.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { sessionOf } from "../../src/store/sql/driver/session.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import type { Schema } from "../../src/store/sql/schema.ts";
import { ACT } from "../harness/act.ts";
import { dashboardOf, instant, useKey } from "../harness/key-management.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";
import { HOUR, SECOND } from "../harness/test-clock.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";
import { newKey } from "./records.ts";

const serverUrl = inject("postgresUrl");
const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A database with other settings than the defaults. */
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

/** The error with which opening it fails. */
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
      dashboard.createKey({ expires_at: instant(latchkey, HOUR) }),
    ]);
    for (const { key } of [revoked, disabled, rotated, expired]) expect(await useKey(latchkey, key)).toBe("admitted");
    await dashboard.result("revoke", { key_id: revoked.key_id });
    await dashboard.result("disable", { key_id: disabled.key_id });
    await dashboard.result("rotate", { key_id: rotated.key_id, grace_period_hours: 0 });
    latchkey.clock.advance(HOUR + SECOND);
    expect(await useKey(latchkey, revoked.key)).toBe("api_key_revoked");
    expect(await useKey(latchkey, disabled.key)).toBe("api_key_disabled");
    expect(await useKey(latchkey, rotated.key)).toBe("api_key_expired");
    expect(await useKey(latchkey, expired.key)).toBe("api_key_expired");
  });
});

describe("an instant that cannot be parsed", () => {
  test.each(["infinity", "-infinity"])("fails the statement, and is never read as null: %s", async (instant) => {
    const database = await open(await databaseWith({}));
    const { record, secretHash } = newKey();
    const keys = createKeyStore(database);
    await keys.insertKey({ record, secretHash }, ACT);
    await sql`update api_keys set revoked_at = ${instant}`.execute(database.db);
    await expect(keys.findKeyBySecretHash(secretHash)).rejects.toThrow("instant");
    await expect(keys.findKey(record.tenantId, record.keyId)).rejects.toThrow("instant");
  });

  test("fails the statement also if the datestyle of a session is changed later", async () => {
    const { db } = await open(await databaseWith({}));
    const { record, secretHash } = newKey({ revokedAt: new Date() });
    const other = await open(await databaseWith({}));
    // A connection that is held and silent for 4.5 s breaks, so nothing slow is done meanwhile.
    await db.connection().execute(async (db) => {
      const keys = createKeyStore({ ...other, db });
      await keys.insertKey({ record, secretHash }, ACT);
      await sql`set datestyle = 'German'`.execute(db);
      await expect(keys.findKey(record.tenantId, record.keyId)).rejects.toThrow("instant");
    });
  });
});

describe.each(["serializable", "repeatable read"])(
  "on a database whose transactions are %s unless they say otherwise,",
  (isolation) => {
    test("concurrent changes of a key are all made", async () => {
      const database = await open(await databaseWith({ default_transaction_isolation: isolation }));
      const keys = createKeyStore(database);
      const { record, secretHash } = newKey();
      await keys.insertKey({ record, secretHash }, ACT);
      const more = () =>
        keys.updateKeyUnderLock(record.tenantId, record.keyId, ({ name }) => ({ patch: { name: `${name}+` } }), ACT);
      await Promise.all(Array.from({ length: 10 }, more));
      expect((await keys.findKey(record.tenantId, record.keyId))?.name).toBe(`${record.name}${"+".repeat(10)}`);
    });
  },
);

describe("commits", () => {
  const levelIn = async (url: string) => {
    const { rows } = await sql`select current_setting('synchronous_commit') as level`.execute((await open(url)).db);
    return rows;
  };

  test.each(["off", "local", "remote_write"])(
    "are on where a database sets synchronous_commit to %s, for what was acknowledged must stay",
    async (level) =>
      expect(await levelIn(await databaseWith({ synchronous_commit: level }))).toEqual([{ level: "on" }]),
  );

  test.each(["on", "remote_apply"])("stay %s", async (level) =>
    expect(await levelIn(await databaseWith({ synchronous_commit: level }))).toEqual([{ level }]),
  );
});

describe("the options of DATABASE_URL", () => {
  test("are kept, but do not override the settings that we rely on", async () => {
    const url = new URL(await databaseWith({}));
    url.searchParams.set("options", "-c datestyle=German -c work_mem=7MB");
    const { db } = await open(url.href);
    const { rows } =
      await sql`select current_setting('datestyle') as style, current_setting('work_mem') as memory`.execute(db);
    expect(rows).toEqual([{ style: expect.stringMatching(/^ISO/), memory: "7MB" }]);
  });
});

describe("a schema that search_path names", () => {
  test("has tables of its own, whatever another schema of the database has", async () => {
    const url = new URL(await databaseWith({}));
    await open(url.href);
    url.searchParams.set("options", "-c search_path=second");
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query("create schema second");
    await client.end();
    const keys = createKeyStore(await open(url.href));
    const key = newKey();
    await keys.insertKey(key, ACT);
    expect(await keys.findKeyBySecretHash(key.secretHash)).toEqual(key.record);
  });
});

describe("opening fails with what to do", () => {
  /** The same database behind a pooler, with a rule for the startup parameters of sessions. */
  async function behindPooler(begin: (client: Socket, server: Socket, startup: string) => void): Promise<string> {
    const url = new URL(await databaseWith({}));
    const { hostname, port } = url;
    const pooler = createServer((client) => {
      const server = connect(Number(port), hostname);
      client.on("close", () => server.destroy());
      client.once("data", (startup) => begin(client, server, startup.toString("latin1")));
    }).listen(0, "127.0.0.1");
    cleanUps.push(async () => pooler.close());
    await once(pooler, "listening");
    const address = pooler.address();
    url.port = String(address !== null && typeof address === "object" && address.port);
    return url.href;
  }

  test.each([
    ["datestyle=ISO", "datestyle=SQL", /datestyle "SQL, MDY"\. Run: alter role .* set datestyle = 'ISO'/],
    ["read\\ committed", "serializable   ", /"serializable"\. Run: alter role .* set default_transaction_isolation = /],
  ])("where a pooler gives sessions something else than %s", async (setting, given, advice) => {
    const url = await behindPooler((client, server, startup) => {
      server.write(startup.replace(setting, given), "latin1");
      client.pipe(server).pipe(client);
    });
    expect(await refusal(url)).toMatch(/^The database at /);
    expect(await refusal(url)).toMatch(advice);
  });

  test("where PostgreSQL is older than 15", async () => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    const { rows } = await client.query<{ server_version_num: string }>("show server_version_num");
    await client.end();
    const version = rows[0]?.server_version_num ?? "";
    const url = await behindPooler((client, server, startup) => {
      server.write(startup, "latin1");
      client.pipe(server);
      server.on("data", (data) => client.write(data.toString("latin1").replace(version, "140022"), "latin1"));
    });
    expect(await refusal(url)).toMatch(
      /^The database at .* runs PostgreSQL 14: the service needs 15 or later, so upgrade that server or name another in DATABASE_URL\.$/,
    );
  });

  test("where a pooler rejects the startup parameters", async () => {
    const fields = "SFATAL\0C08P01\0Munsupported startup parameter: options\0\0";
    const length = Buffer.alloc(4);
    length.writeUInt32BE(fields.length + length.length);
    const url = await behindPooler((client) => client.end(`E${length.toString("latin1")}${fields}`, "latin1"));
    expect(await refusal(url)).toMatch(
      /^The database at .* cannot be opened: unsupported startup parameter: options\. .* ignore_startup_parameters /,
    );
  });

  test.each(["LATIN1", "SQL_ASCII"])("where the database is encoded in %s", async (encoding) => {
    expect(await refusal(await databaseWith({}, `encoding '${encoding}' locale 'C'`))).toMatch(
      new RegExp(`^The database at .* is encoded in ${encoding}.* encoding 'UTF8'.* DATABASE_URL\\.$`),
    );
  });

  test("where search_path names no schema that exists", async () => {
    expect(await refusal(await databaseWith({ search_path: "missing" }))).toMatch(
      /^The database at .* has no schema .* search_path is missing.*: create .* or /,
    );
  });
});

describe("a rejected start says what to do", () => {
  test("where DATABASE_URL has no password", async () => {
    const url = new URL(serverUrl);
    url.password = "";
    expect(await refusal(url.href)).toMatch(
      / cannot be opened: the server asks for a password\. Put the password into DATABASE_URL: /,
    );
  });

  test("where the role may not read the tables, and where it may not migrate", async () => {
    const url = await databaseWith({});
    const role = `reader_${new URL(url).pathname.slice(1)}`;
    // Last: the database is dropped before.
    cleanUps.unshift(() => asAdmin(`drop role ${role}`));
    await asAdmin(`create role ${role} login password 'secret'`);
    const asRole = new URL(url);
    asRole.username = role;
    asRole.password = "secret";
    const started = () => open(asRole.href).catch((err: Error) => err.message);
    expect(await started()).toMatch(
      /permission denied for schema public\. Run `npm run migrate` with the owner of the/,
    );
    await open(url);
    expect(await started()).toMatch(
      /^The role of DATABASE_URL may not read the database: .*\. As the owner .*, grant /,
    );
  });
});

describe("a role that owns none of the tables", () => {
  /** A database that its owner has migrated, as another role sees it. The owner runs `rights` on it. */
  async function asRoleWith(...rights: readonly string[]): Promise<string> {
    const url = new URL(await databaseWith({}));
    await open(url.href);
    const role = `user_${url.pathname.slice(1)}`;
    const owner = new pg.Client({ connectionString: url.href });
    await owner.connect();
    await owner.query(`create role ${role} login password 'secret'`);
    for (const right of rights) await owner.query(right.replace("%r", role));
    await owner.end();
    // Last: the database is dropped before.
    cleanUps.unshift(() => asAdmin(`drop role ${role}`));
    return Object.assign(url, { username: role, password: "secret" }).href;
  }

  const ALL = tableGrants({ role: "%r", schema: "public" }).map((grant) => grant.replace('"%r"', "%r"));

  test("may do all that the service does with the documented privileges", async () => {
    const latchkey = await start(await asRoleWith(...ALL));
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    expect(await useKey(latchkey, key)).toBe("admitted");
    await dashboard.result("revoke", { key_id });
    expect(await useKey(latchkey, key)).toBe("api_key_revoked");
    expect(await dashboard.result("usage", { key_id })).toMatchObject({ total_verifications: 2 });
    for (const verb of ["suspend", "resume"]) {
      const path = `/api/v1/operator/tenants/${verb}`;
      expect((await latchkey.call(path, { tenant_id: dashboard.tenant }, OPERATOR)).status).toBe(200);
    }
  });

  test.each([
    ["insert", "replicas"],
    ["delete", "key_marks"],
    ["insert", "known_servers"],
    ["select", "key_changes_watermark"],
    ["delete", "usage_questions"],
    ["insert", "tenant_suspensions"],
  ])("ends the start with what it lacks: %s on %s", async (right, table) => {
    const url = await asRoleWith(...ALL, `revoke ${right} on ${table} from %r`);
    await expect(start(url)).rejects.toThrow(
      new RegExp(
        `lacks the right to ${right} on the table ${table}\\. As the owner of the tables, run what .latchkey privileges postgres. prints`,
      ),
    );
  });
});

describe("the name of our sessions", () => {
  test.each([
    ["", "latchkey"],
    ["?application_name=", "latchkey"],
    ["?application_name=api", "api"],
  ])("is the one of the URL, or ours: %s", (query, name) => {
    expect(sessionOf(`postgres://u@db/x${query}`).application_name).toBe(name);
  });

  test("is what the server shows, on every connection", async () => {
    const { db, lists, control } = await open(await databaseWith({}));
    const nameOn = (pool: Kysely<Schema>) =>
      sql<{ name: string }>`select current_setting('application_name') as name`.execute(pool);
    for (const { rows } of [await nameOn(db), await lists("service", nameOn), await nameOn(control)]) {
      expect(rows).toEqual([{ name: "latchkey" }]);
    }
  });
});

test.each(["prefer", "require", "verify-ca"])(
  "sslmode=%s is treated as verify-full, without a warning of the driver",
  (mode) => {
    const given = `postgres://u@db/x?sslmode=${mode}`;
    expect(sessionOf(given).connectionString).toBe("postgres://u@db/x?sslmode=verify-full");
    const libpq = `${given}&uselibpqcompat=true`;
    expect(sessionOf(libpq).connectionString).toBe(libpq);
  },
);
