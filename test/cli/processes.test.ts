// promise: operation.privileges, cli.first-key
import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { OPERATOR_TOKEN } from "../harness/operator.ts";
import { copyTemplate } from "../servers/embedded-template.ts";
import { freePort } from "../servers/free-port.ts";
import { createServingDatabase, createServingUser, execute, type ServingDatabase } from "../servers/least-privilege.ts";
import { dropDatabase } from "../servers/postgres.ts";
import { LATCHKEY, latchkey, succeed } from "./command-line.ts";

let database: ServingDatabase;
let cwd: string;
beforeAll(async () => {
  database = await createServingDatabase(inject("postgresUrl"), { isEmpty: true });
  cwd = await mkdtemp(join(tmpdir(), "latchkey-processes-"));
});
afterAll(async () => {
  await dropDatabase(inject("postgresUrl"), database.adminUrl);
  await rm(cwd, { recursive: true, force: true });
});

/** `latchkey serve` on a free port, until the test ends. Resolves with its URL. */
async function serve(env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [LATCHKEY, "serve"], {
    cwd,
    env: { PATH: process.env.PATH, HOST: "127.0.0.1", PORT: "0", DRAIN_SECONDS: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  let output = "";
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      const [, url] = /"url":"([^"]+)"/.exec(output) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once("close", (status) => reject(new Error(`ended with ${status}: ${output}`)));
  });
}

test("one role migrates, the other serves, by what the command itself prints, and the first key is made", async () => {
  const { url, migratingUrl, roles } = database;
  const early = await latchkey(["serve"], { env: { DATABASE_URL: url } });
  expect(early.status).toBe(1);
  const migrated = await succeed(["migrate"], { env: { DATABASE_URL: migratingUrl } });
  expect(migrated.stdout).toMatch(/^Applied to the database of DATABASE_URL: 0001-initial/);
  const names = ["--serving-role", roles.role, "--migrating-role", roles.migratingRole, "--database", roles.database];
  const { stdout } = await succeed(["privileges", "postgres", ...names]);
  const [, grants = ""] = stdout.split("-- after each migration, as the migrating role\n");
  await execute(migratingUrl, [grants]);
  const env = { DATABASE_URL: url, REDIS_URL: await createServingUser(inject("redisUrl")), OPERATOR_TOKEN };
  expect((await latchkey(["doctor"], { env })).status).toBe(0);
  const service = { LATCHKEY_URL: await serve(env) };
  const create = ["keys", "create", "--tenant", "ten_acme", "--name", "first", "--scope", "plans:read"];
  const { stdout: key } = await succeed(create, { env: { ...service, OPERATOR_TOKEN } });
  const caller = await succeed(["whoami", "--json"], { env: { ...service, LATCHKEY_KEY: key } });
  expect(caller.json()).toMatchObject({ tenant_id: "ten_acme", permissions: ["plans:read"] });
});

test("with an admin port, the operator's commands find it by the service's own environment", async () => {
  const [PORT, ADMIN_PORT] = [String(await freePort()), String(await freePort())];
  const env = { PORT, ADMIN_PORT, OPERATOR_TOKEN, DATA_DIR: join(cwd, "admin") };
  await copyTemplate(inject("embeddedTemplate"), env.DATA_DIR);
  await serve(env);
  const create = ["keys", "create", "--tenant", "ten_acme", "--name", "first", "--scope", "plans:read"];
  const { stdout: key } = await succeed(create, { env });
  expect((await succeed(["whoami"], { env: { PORT, ADMIN_PORT, LATCHKEY_KEY: key } })).stdout).toContain("ten_acme");
});

test("in a checkout, npx finds the command, also in a folder below", async () => {
  const checkout = fileURLToPath(new URL("../../docs", import.meta.url));
  const { stdout } = await promisify(execFile)("npx", ["--no-update-notifier", "latchkey", "privileges", "redis"], {
    cwd: checkout,
  });
  expect(stdout).toMatch(/^ACL SETUSER latchkey on /m);
});
