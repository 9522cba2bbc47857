import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { newTenant } from "../harness/latchkey.ts";
import { OPERATOR_TOKEN } from "../harness/operator.ts";
import { type Running, runService } from "../harness/service-process.ts";
import { createServingDatabase, type ServingDatabase } from "../servers/least-privilege.ts";
import { dumpDatabase, restoreDatabase } from "../servers/pg-dump.ts";
import { dropDatabase } from "../servers/postgres.ts";
import { latchkey, succeed } from "./command-line.ts";

let cwd: string;
let database: ServingDatabase;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "latchkey-restore-"));
  database = await createServingDatabase(inject("postgresUrl"));
});
afterAll(async () => {
  await dropDatabase(inject("postgresUrl"), database.adminUrl);
  await rm(cwd, { recursive: true, force: true });
});

interface Service {
  readonly running: Running;
  readonly operator: Record<string, string>;
  /** The exit status of a call with a key, and its denial. */
  verify(key: string): Promise<string>;
}

async function start(): Promise<Service> {
  const running = runService({ DATABASE_URL: database.url, OPERATOR_TOKEN }, cwd);
  const url = await running.listening();
  return {
    running,
    operator: { LATCHKEY_URL: url, LATCHKEY_OPERATOR_TOKEN: OPERATOR_TOKEN },
    async verify(key) {
      const { status, stderr } = await latchkey(["whoami"], { env: { LATCHKEY_URL: url, LATCHKEY_KEY: key } });
      return status === 0 ? "admitted" : (/denial_reason (\w+)/.exec(stderr)?.[1] ?? stderr);
    },
  };
}

test("what was revoked and disabled after the instant of a restore is so again by the access log, once, and nothing else changes", async () => {
  const tenant = newTenant();
  const before = await start();
  const operator = (...args: string[]) => succeed(["operator", ...args], { env: before.operator });
  const create = async (name: string) => {
    const made = await operator(
      "keys",
      "create",
      "--tenant",
      tenant,
      "--name",
      name,
      "--scope",
      "plans:read",
      "--json",
    );
    return made.json().result as { key: string; key_id: string };
  };
  const [revoked, disabled, enabled, kept, early] = await Promise.all(
    ["revoked", "disabled", "enabled", "kept", "early"].map(create),
  );
  if (!revoked || !disabled || !enabled || !kept || !early) throw new Error("no keys");
  await operator("keys", "revoke", early.key_id);
  const dump = join(cwd, "backup");
  const instant = new Date().toISOString();
  await dumpDatabase(database.adminUrl, dump);

  await operator("keys", "disable", revoked.key_id);
  await operator("keys", "revoke", revoked.key_id);
  await operator("keys", "disable", disabled.key_id);
  await operator("keys", "disable", enabled.key_id);
  await operator("keys", "enable", enabled.key_id);
  const late = await create("late");
  await operator("keys", "revoke", late.key_id);
  await operator("tenants", "suspend", newTenant());
  expect(await before.verify(revoked.key)).toBe("api_key_revoked");
  await before.running.end("SIGTERM");
  await restoreDatabase(database.adminUrl, dump);

  const after = await start();
  const all = [revoked, disabled, enabled, kept, early, late];
  const verdicts = () => Promise.all(all.map(({ key }) => after.verify(key)));
  const restored = ["admitted", "admitted", "admitted", "admitted", "api_key_revoked", "api_key_not_found"];
  expect(await verdicts()).toEqual(restored);
  // As a log driver may write it, among lines of other programs.
  const log = `not of Latchkey\n${before.running.output().replaceAll(/^\{/gm, "2026-01-01T00:00:00Z stdout F {")}`;
  const since = ["operator", "keys", "revoke-since", instant, "--access-log"];
  const changesOf = async (...args: string[]) => {
    const { stdout } = await succeed([...since, ...args, "--json"], { env: after.operator, stdin: log });
    const { changes } = JSON.parse(stdout) as { changes: Record<string, string>[] };
    return changes.map(({ change, target_id, outcome }) => [change, target_id, outcome]);
  };
  const expected = (outcome: string) => [
    ["revoke", revoked.key_id, outcome],
    ["disable", disabled.key_id, outcome],
    ["revoke", late.key_id, "not in this database"],
    ["SuspendTenant", expect.stringMatching(/^ten_/), "to be made by hand"],
  ];

  expect(await changesOf("-", "--dry-run")).toEqual(expected("not made: dry run"));
  expect(await verdicts()).toEqual(restored);
  expect(await changesOf("-")).toEqual(expected("made again"));
  expect(await verdicts()).toEqual(["api_key_revoked", "api_key_disabled", ...restored.slice(2)]);
  const file = join(cwd, "access.log");
  await writeFile(file, log);
  expect(await changesOf(file)).toEqual(expected("in force already"));

  const table = await latchkey([...since, file], { env: after.operator });
  expect(table.stdout).toMatch(new RegExp(`revoke +${revoked.key_id} +${tenant} +in force already`));
  expect(table.stderr).toContain("to be made by hand");
  await after.running.end("SIGTERM");
}, 120_000);

test("a log that is none, begins too late or is not there is not taken for one without changes", async () => {
  const { running, operator } = await start();
  const run = (instant: string, path: string, stdin = "") =>
    latchkey(["operator", "keys", "revoke-since", instant, "--access-log", path], { env: operator, stdin });
  for (const [instant, path, stdin, message] of [
    ["1h", "/no/such/file", "", "--access-log cannot be read (ENOENT)"],
    ["1h", "-", '{"level":30,"msg":"listening"}\n', "--access-log has no line of Latchkey's access log"],
    ["yesterday", "-", "", "<instant>: It must be an instant such as"],
  ] as const) {
    const { status, stdout, stderr } = await run(instant, path, stdin);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  }
  const line = {
    time: new Date().toISOString(),
    procedure: "latchkey.v1.AuthService/Verify",
    code: "ok",
    msg: "request",
  };
  const late = await run("2h", "-", `${JSON.stringify(line)}\n`);
  expect(late.status).toBe(0);
  expect(late.stderr).toContain(`Warning: the log begins at ${line.time}`);
  await running.end("SIGTERM");
}, 60_000);
