// promise: operation.privileges
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { checkDeployment } from "../../src/check/deployment.ts";
import type { Finding } from "../../src/check/finding.ts";
import { aclRules, neededCommands } from "../../src/store/redis/redis-commands.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { missingPrivileges } from "../../src/store/sql/driver/rights.ts";
import { TABLE_PRIVILEGES } from "../../src/store/sql/driver/table-privileges.ts";
import { createServingDatabase, createServingUser, execute, type ServingDatabase } from "../servers/least-privilege.ts";
import { dropDatabase } from "../servers/postgres.ts";
import { startOwnRedis, startRedisCluster } from "../servers/redis.ts";

const serverUrl = inject("postgresUrl");
let database: ServingDatabase;
beforeAll(async () => {
  database = await createServingDatabase(serverUrl);
});
afterAll(() => dropDatabase(serverUrl, database.adminUrl));

/** What a check with these variables finds about one subject. */
async function found(
  subject: string,
  env: Record<string, string>,
  role: "serving" | "migrating" = "serving",
): Promise<Pick<Finding, "level" | "text">[]> {
  const findings: Finding[] = [];
  for await (const finding of checkDeployment(env, role)) findings.push(finding);
  return findings.filter((finding) => finding.subject === subject).map(({ level, text }) => ({ level, text }));
}

const problems = (findings: readonly Pick<Finding, "level" | "text">[]) =>
  findings.filter(({ level }) => level !== "ok").map(({ text }) => text);

describe("PostgreSQL", () => {
  test("each table has its documented privileges, also none", async () => {
    const opened = await openDatabase({ kind: "postgres", url: database.adminUrl, poolSize: 1 });
    const tables = await opened.db.introspection.getTables({ withInternalKyselyTables: true });
    await opened.close();
    expect(Object.keys(TABLE_PRIVILEGES)).toEqual(tables.map(({ name }) => name).sort());
  });

  test("nothing is missing where the roles have what `latchkey privileges postgres` prints", async () => {
    const serving = await found("postgresql", { DATABASE_URL: database.url });
    expect(serving.map(({ level }) => level)).toEqual(["ok", "ok", "ok"]);
    expect(serving[0]?.text).toMatch(/^version \d+\.\d+ is reachable$/);
    const migrating = await found("postgresql", { DATABASE_URL: database.migratingUrl }, "migrating");
    expect(problems(migrating)).toEqual([]);
  });

  test("each privilege that is taken away is found, and no other", async () => {
    const serving = await openDatabase({ kind: "postgres", url: database.url, poolSize: 1 });
    const { role } = database.roles;
    for (const [table, privileges] of Object.entries(TABLE_PRIVILEGES)) {
      for (const privilege of privileges) {
        await execute(database.migratingUrl, [`revoke ${privilege} on ${table} from ${role}`]);
        expect(await missingPrivileges(serving), `${privilege} on ${table}`).toEqual([{ table, privilege }]);
        await execute(database.migratingUrl, [`grant ${privilege} on ${table} to ${role}`]);
      }
    }
    await serving.close();
  });

  test("check names what the serving role lacks, and the migrating one", async () => {
    const { role, migratingRole } = database.roles;
    await execute(database.migratingUrl, [`revoke delete on replicas from ${role}`]);
    expect(problems(await found("postgresql", { DATABASE_URL: database.url }))).toEqual([
      "the role of DATABASE_URL lacks delete on replicas: see `latchkey privileges postgres`",
    ]);
    await execute(database.migratingUrl, [`grant delete on replicas to ${role}`]);
    const asServing = problems(await found("postgresql", { DATABASE_URL: database.url }, "migrating"));
    expect(asServing).toHaveLength(Object.keys(TABLE_PRIVILEGES).length + 1);
    await execute(database.adminUrl, [`revoke create on schema public from ${migratingRole}`]);
    expect(problems(await found("postgresql", { DATABASE_URL: database.migratingUrl }, "migrating"))).toEqual([
      "the role of DATABASE_URL may not create tables: grant it create on the schema",
    ]);
  });

  test("check names the migrations that an empty database lacks, and changes nothing", async () => {
    const empty = await createServingDatabase(serverUrl, { isEmpty: true });
    for (const _ of [1, 2]) {
      const [lacking] = problems(await found("postgresql", { DATABASE_URL: empty.migratingUrl }, "migrating"));
      expect(lacking).toMatch(/^the schema lacks 0001-initial, .*: run `latchkey migrate`/);
    }
    await dropDatabase(serverUrl, empty.adminUrl);
  });
});

describe("Redis", () => {
  let url: string;
  let admin: Redis;
  beforeAll(async () => {
    url = await createServingUser(inject("redisUrl"));
    admin = new Redis(inject("redisUrl"));
  });
  afterAll(() => admin.disconnect());

  const changeUser = (...rules: string[]) => admin.call("ACL", ["SETUSER", new URL(url).username, ...rules]);

  test("nothing is missing where the user has what `latchkey privileges redis` prints", async () => {
    const [only, ...others] = await found("redis", { REDIS_URL: url });
    expect(others).toEqual([]);
    expect(only?.text).toMatch(/^version \d+\.\d+\.\d+ is reachable, and the user has all rights that it needs$/);
  });

  test.each(neededCommands("single").map(({ name }) => name))("check finds that %s is missing", async (name) => {
    await changeUser(`-${name}`);
    expect(problems(await found("redis", { REDIS_URL: url }))).toEqual([
      `the user of REDIS_URL lacks +${name}: see \`latchkey privileges redis\``,
    ]);
    await changeUser(`+${name}`);
  });

  test("check finds that the keys are not those of the user", async () => {
    await changeUser("resetkeys", "~other:*");
    expect(problems(await found("redis", { REDIS_URL: url }))).toEqual([
      "the user of REDIS_URL lacks ~lk:*: see `latchkey privileges redis`",
    ]);
    await changeUser("resetkeys", "~lk:*");
  });

  test("a policy that evicts budgets in use is a warning", async () => {
    const evicting = await startOwnRedis({ args: ["--maxmemory", "100mb", "--maxmemory-policy", "allkeys-random"] });
    const [warning, ...others] = problems(await found("redis", { REDIS_URL: evicting.url }));
    await evicting.stop();
    expect(others).toEqual([]);
    expect(warning).toContain("allkeys-random");
  });

  test("SELECT is needed only for a database other than 0", async () => {
    expect(aclRules("single", 0)).not.toContain("+select");
    await changeUser(...aclRules("single", 1));
    expect(problems(await found("redis", { REDIS_URL: `${url}/1` }))).toEqual([]);
    await changeUser(...aclRules("single"));
  });

  test("on a cluster, each node is asked, and nothing is missing with the rights for clusters", async () => {
    const cluster = await startRedisCluster();
    const nodes = cluster.nodes.map(({ port }) => new Redis(port, "127.0.0.1"));
    for (const node of nodes) await node.call("ACL", ["SETUSER", "serving", ">secret", ...aclRules("cluster")]);
    const clusterUrl = cluster.url.replace("://", "://serving:secret@");
    expect(problems(await found("redis", { REDIS_URL: clusterUrl }))).toEqual([]);
    await nodes[1]?.call("ACL", ["SETUSER", "serving", "-set"]);
    expect(problems(await found("redis", { REDIS_URL: clusterUrl }))).toHaveLength(1);
    for (const node of nodes) node.disconnect();
    await cluster.stop();
  });
});
