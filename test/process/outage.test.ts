import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import { type OwnPostgres, startOwnPostgres } from "../servers/postgres.ts";

const RECOVERY = { timeout: 15_000 };

let postgres: OwnPostgres;
let fleet: Fleet;
let replica: Replica;
/** Lines of the replica's log before the test. */
let before: number;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  fleet = await startFleet("", postgres.url);
  replica = await fleet.start();
});
afterAll(async () => {
  await fleet.close();
  await postgres.stop();
});
beforeEach(() => {
  before = replica.log().length;
});

/** What a replica says once, when it first removes old events: that may be after an outage. */
const OF_RETENTION = /^events of the audit trail are removed/;

/**
 * What was said since the test began, up to a tenth of a second ago, but for the access log, the retention and what
 * notifications do.
 */
function saidOfAll(): string[] {
  return replica
    .log()
    .slice(before)
    .filter(({ procedure, hearing }) => procedure === undefined && hearing === undefined)
    .map(({ msg, err }) => [msg, err?.message].filter(Boolean).join(": "))
    .filter((line) => !OF_RETENTION.test(line));
}

const ofKeys = /^changes of keys (?:are read again|cannot be read)/;
const said = () => saidOfAll().filter((line) => !ofKeys.test(line));
const saidOfKeys = () => saidOfAll().flatMap((line) => [...(ofKeys.exec(line) ?? [])]);

async function gauge(): Promise<string | undefined> {
  const metrics = await (await fetch(`${replica.url}/metrics`)).text();
  return /^latchkey_postgres_up (\d)$/m.exec(metrics)?.[1];
}

const readyz = async () => (await fetch(`${replica.url}/readyz`)).status;

async function asAdmin(statement: string, url = postgres.url): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.query("select pg_reload_conf()");
  await client.end();
}

describe("while PostgreSQL is away", () => {
  test("the log says so once, with the cause, and once that it is back; so does the metric", async () => {
    const { key } = await fleet.createKey(replica);
    const verify = async () => (await replica.call("/api/v1/auth/verify", {}, { "x-api-key": key })).status;
    expect(await gauge()).toBe("1");
    await postgres.crash();
    await expect.poll(gauge, RECOVERY).toBe("0");
    for (let n = 0; n < 20; n++) expect(await verify()).toBe(500);
    expect(await readyz()).toBe(503);
    await postgres.restart();
    await expect.poll(gauge, RECOVERY).toBe("1");
    await expect.poll(verify, RECOVERY).toBe(200);
    const away = expect.stringMatching(/^PostgreSQL is away: .+: .+/);
    await expect.poll(said, RECOVERY).toEqual([away, "PostgreSQL is back"]);
    await expect
      .poll(saidOfKeys, RECOVERY)
      .toEqual(["changes of keys cannot be read", "changes of keys are read again"]);
  });
});

describe("while PostgreSQL takes no writes", () => {
  test("the process is not ready, and the log names the cause once", async () => {
    await asAdmin("alter system set default_transaction_read_only = on");
    try {
      await expect.poll(readyz, RECOVERY).toBe(503);
      await expect.poll(gauge, RECOVERY).toBe("0");
    } finally {
      await asAdmin("alter system reset default_transaction_read_only");
    }
    await expect.poll(gauge, RECOVERY).toBe("1");
    expect(await readyz()).toBe(200);
    const away = expect.stringMatching(/^PostgreSQL is away: .* is read-only: a standby, or default_transaction_read/);
    await expect.poll(said, RECOVERY).toEqual([away, "PostgreSQL is back"]);
  });
});

describe("while PostgreSQL has no room", () => {
  test("the log names the cause once, the metric is 0, and the process stays ready: keys are still checked", async () => {
    const { key, key_id } = await fleet.createKey(replica);
    const dashboard = await fleet.dashboard();
    const verify = async () => (await replica.call("/api/v1/auth/verify", {}, { "x-api-key": key })).status;
    const usage = async () => (await replica.call("/api/v1/api-keys/usage", { key_id }, dashboard)).status;
    const full = `
      create function fill() returns trigger language plpgsql as $$
      begin raise 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
      create trigger full_disk before insert on usage_batches execute function fill()`;
    const others = /^(?:the storage is unavailable: could not extend|recent requests cannot be stored: )/;
    const lines = () => said().filter((line) => !others.test(String(line)));
    const refused = expect.stringMatching(
      /^usage cannot be stored: it is kept until it can be: .*could not extend file/,
    );
    await asAdmin(full, fleet.databaseUrl);
    try {
      expect(await verify()).toBe(200);
      // Other writes fail, too, perhaps before this one, and then the metric is 0 before this line comes.
      await expect.poll(lines, RECOVERY).toEqual([refused]);
      expect(await gauge()).toBe("0");
      // Some more attempts, which tell nothing new.
      for (let n = 0; n < 3; n++) expect(await usage()).toBe(503);
      expect(await verify()).toBe(200);
      expect(await readyz()).toBe(200);
    } finally {
      await asAdmin("drop function fill cascade", fleet.databaseUrl);
    }
    await expect.poll(gauge, RECOVERY).toBe("1");
    await expect.poll(lines, RECOVERY).toEqual([refused, "usage is stored again"]);
  });
});
