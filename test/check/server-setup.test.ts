// promise: operation.setup
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkDeployment } from "../../src/check/deployment.ts";
import { LATCHKEY } from "../cli/command-line.ts";
import { startLatchkey } from "../harness/latchkey.ts";
import { onServer, startTwoServers, type TwoServers } from "../leases-faults/two-servers.ts";
import { createServingDatabase, execute, type ServingDatabase } from "../servers/least-privilege.ts";

const POLL = { timeout: 20_000 };
const WITHOUT_STANDBY =
  /^warning: synchronous_standby_names is empty, .*\(1\) are asynchronous: .* 2 replicas\. .*SINGLE_POSTGRES=true/;

let servers: TwoServers;
let database: ServingDatabase;
let setting: (statement: string) => Promise<unknown>;

beforeAll(async () => {
  servers = await startTwoServers();
  database = await createServingDatabase(servers.primary.url);
  setting = (statement) => onServer(servers.primary.url, statement, "select pg_reload_conf()");
}, 120_000);
afterAll(() => servers.stop());

/** What the check of a deployment says of its server, beside what it says of every one. */
async function saidOf(env: Record<string, string> = {}): Promise<string[]> {
  const said: string[] = [];
  const EVERY = /is reachable$|schema is up to date|all privileges/;
  for await (const { level, subject, text } of checkDeployment({ DATABASE_URL: database.url, ...env }, "serving"))
    if (subject === "postgresql" && !EVERY.test(text)) said.push(`${level}: ${text}`);
  return said;
}

const listReplica = () => execute(database.adminUrl, [`insert into replicas (replica_id) values ('${randomUUID()}')`]);

test("the check says of a server, and the start logs, whether failovers lose changes, commits wait and connections suffice", async () => {
  expect(await saidOf()).toEqual([]);

  await listReplica();
  expect(await saidOf()).toEqual([]);
  await listReplica();
  expect(await saidOf()).toEqual([expect.stringMatching(WITHOUT_STANDBY)]);
  expect(await saidOf({ SINGLE_POSTGRES: "true" })).toEqual([]);

  await execute(servers.primary.url, ["create role rds_superuser"]);
  expect(await saidOf()).toEqual(["ok: synchronous standby: unknown (managed, Amazon RDS)"]);
  await execute(servers.primary.url, ["drop role rds_superuser"]);

  const { role } = database.roles;
  await execute(servers.primary.url, [`alter role ${role} set synchronous_commit = off`]);
  const single = { SINGLE_POSTGRES: "true" };
  const RAISED = "ok: synchronous_commit is off at the server, and on in the sessions of the service";
  expect(await saidOf(single)).toEqual([RAISED]);

  // Two processes of 10 + 5.
  await execute(servers.primary.url, [`alter role ${role} connection limit 30`]);
  expect(await saidOf(single)).toEqual([RAISED]);
  await execute(servers.primary.url, [`alter role ${role} connection limit 29`]);
  const TOO_FEW = "the server has 29 connections for this role, and the service may open 30: 15 in each process";
  expect(await saidOf(single)).toEqual([RAISED, expect.stringMatching(`^warning: ${TOO_FEW} .*Raise max_connections`)]);
  expect(await saidOf({ ...single, DATABASE_POOL_SIZE: "9" })).toEqual([RAISED]);

  const { level, msg } = await lineAtStart(/^the server has 29 connections/);
  // The service is a replica, too.
  expect([level, msg]).toEqual([40, expect.stringContaining("may open 45")]);
  await execute(servers.primary.url, [`alter role ${role} reset all`, `alter role ${role} connection limit -1`]);
}, 120_000);

test("a standby that is to confirm commits is named, and its absence is a warning that nothing acknowledges", async () => {
  await servers.makeSynchronous();
  const NOT_SEEN = "only a member of pg_monitor sees whether they confirm";
  expect(await saidOf()).toEqual([expect.stringMatching(`^ok: synchronous_standby_names is "\\*", .*${NOT_SEEN}$`)]);
  expect(await saidOf({ DATABASE_URL: database.adminUrl })).toEqual(["ok: synchronous standbys: 1"]);
  servers.link.cut();
  const away = [
    expect.stringMatching(/^warning: no standby confirms commits, .*: changes wait, and are answered 503$/),
  ];
  for (const DATABASE_URL of [database.url, database.adminUrl])
    await expect.poll(() => saidOf({ DATABASE_URL, SINGLE_POSTGRES: "true" }), POLL).toEqual(away);
  await setting("alter system reset synchronous_standby_names");
  servers.link.mend();
}, 120_000);

test("several hosts are followed, whatever target_session_attrs says", async () => {
  const { host } = new URL(database.url);
  const DATABASE_URL = `${database.url.replace(host, `127.0.0.1:${servers.standby.port},${host}`)}?target_session_attrs=read-write`;
  expect(await saidOf({ DATABASE_URL, SINGLE_POSTGRES: "true" })).toEqual([
    "ok: DATABASE_URL lists 2 hosts: the service follows the primary among them",
  ]);
});

test("fewer than 1,024 open files are a warning", async () => {
  const check = async (files: number) => {
    const command = [`--nofile=${files}:${files}`, process.execPath, LATCHKEY, "doctor"];
    const options = { env: { PATH: process.env.PATH, DATABASE_URL: database.url } };
    return (await promisify(execFile)("prlimit", command, options)).stdout;
  };
  expect(await check(1_023)).toMatch(/^warning {2}configuration: this process may have 1023 open files, /m);
  expect(await check(1_024)).not.toContain("open files");
});

/** Of the log of a service that was started on the database. */
async function lineAtStart(message: RegExp): Promise<{ level: number; msg: string }> {
  const latchkey = await startLatchkey({ config: { storage: { kind: "postgres", url: database.url } } });
  await latchkey.close();
  return latchkey.logLines.map((line) => JSON.parse(line)).find(({ msg }) => message.test(msg)) ?? expect.unreachable();
}
