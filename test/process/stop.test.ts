import { connect } from "node:net";
import pg from "pg";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type App, startApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/config/config.ts";
import { hashSecret, makeSecret } from "../../src/domain/credentials/secret.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { ACT } from "../harness/act.ts";
import { post } from "../harness/http.ts";
import { type OwnPostgres, startOwnPostgres } from "../servers/postgres.ts";
import { newKey } from "../store/records.ts";

const STOP_MS = 1_500;
/** For a busy machine, and less than any attempt to reach a frozen server takes. */
const LATE_MS = 1_000;
const CALLS = 5;

let postgres: OwnPostgres;

beforeEach(async () => {
  postgres = await startOwnPostgres();
});
afterEach(() => postgres.stop());

async function start(lines: Record<string, unknown>[]): Promise<App> {
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const env = { HOST: "127.0.0.1", PORT: "0", DATABASE_URL: postgres.url, DRAIN_SECONDS: "0" };
  return startApp(readConfig(env), { log, writeLine: () => {}, stopMs: STOP_MS });
}

async function storedKey(): Promise<string> {
  const database = await openDatabase({ kind: "postgres", url: postgres.url, poolSize: 1 });
  const secret = makeSecret("secret");
  await createKeyStore(database).insertKey({ ...newKey(), secretHash: hashSecret(secret) }, ACT);
  await database.close();
  return secret;
}

test("a process reports on SIGTERM all that may be lost, and ends in time, whatever server does not respond", async () => {
  const lines: Record<string, unknown>[] = [];
  const app = await start(lines);
  const secret = await storedKey();
  const admin = new pg.Client({ connectionString: postgres.url });
  admin.on("error", () => {});
  await admin.connect();
  await admin.query("begin; lock table key_usage"); // so that none is stored yet
  for (let n = 0; n < CALLS; n++) {
    expect((await post(app.url, "/api/v1/auth/verify", {}, { "x-api-key": secret })).status).toBe(200);
  }
  await postgres.freeze();
  const slow = connect(Number(new URL(app.url).port), "127.0.0.1");
  slow.on("error", () => {});
  slow.write("POST /api/v1/auth/verify HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{");
  const startedMs = performance.now();
  await app.close();
  expect(performance.now() - startedMs).toBeLessThan(STOP_MS + LATE_MS);
  slow.destroy();
  await postgres.thaw();
  await admin.end();
  const losses = lines.filter(({ msg }) => /^usage (is|may be) lost/.test(String(msg)));
  expect(losses.reduce((sum, { verifications }) => sum + Number(verifications), 0)).toBe(CALLS);
  expect(lines.at(-1)?.msg).toBe("stopped");
});
