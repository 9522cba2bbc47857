// promise: keys.failed-start
import { once } from "node:events";
import { createServer } from "node:net";
import pg from "pg";
import { pino } from "pino";
import { beforeEach, describe, expect, inject, onTestFinished, test } from "vitest";
import { startApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/config/config.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { freePort } from "../servers/free-port.ts";
import { createServingDatabase, execute, type ServingDatabase } from "../servers/least-privilege.ts";
import { listenOnLoopback } from "../servers/loopback.ts";

let database: ServingDatabase;

beforeEach(async () => {
  database = await createServingDatabase(inject("postgresUrl"));
});

/** Starts as `npm start` does, which opens the database ahead. */
async function start(env: Record<string, string> = {}): Promise<unknown> {
  const all = { HOST: "127.0.0.1", PORT: "0", DATABASE_URL: database.url, REDIS_URL: inject("redisUrl"), ...env };
  const config = readConfig(all);
  const log = pino({ level: "silent" });
  return startApp(config, { log, writeLine: () => {}, database: await openDatabase(config.storage) });
}

/** Sessions of the service's role, and replicas that others would wait for. */
async function left(): Promise<unknown> {
  const client = new pg.Client({ connectionString: database.adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select (select count(*) from pg_stat_activity where usename = $1)::int as sessions,
        (select count(*) from replicas)::int as replicas`,
      [database.roles.role],
    );
    return rows[0];
  } finally {
    await client.end();
  }
}

const NOTHING = { sessions: 0, replicas: 0 };

describe("a start that fails leaves no session and no replica behind", () => {
  test("if the identity provider cannot be reached", async () => {
    const issuer = `http://127.0.0.1:${await freePort()}`;
    await expect(start({ OIDC_ISSUER: issuer, OIDC_AUDIENCE: "dashboard" })).rejects.toThrow("OIDC_JWKS_URL");
    await expect.poll(left).toEqual(NOTHING);
  });

  test("if its role lacks a privilege", async () => {
    await execute(database.migratingUrl, [`revoke update on api_keys from ${database.roles.role}`]);
    await expect(start()).rejects.toThrow("api_keys");
    await expect.poll(left).toEqual(NOTHING);
  });

  test("if its port is taken", async () => {
    const other = createServer();
    const port = await listenOnLoopback(other);
    onTestFinished(async () => {
      other.close();
      await once(other, "close");
    });
    await expect(start({ PORT: String(port) })).rejects.toThrow("PORT");
    await expect.poll(left).toEqual(NOTHING);
  });
});
