// promise: audit.kept
import { type RawBuilder, sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { eventsOf } from "../harness/audit.ts";
import type { JsonObject } from "../harness/http.ts";
import { type Latchkey, newTenant, startLatchkey, testStorage } from "../harness/latchkey.ts";

const DAYS = 30;
const tenant = newTenant();
let storage: Config["storage"];
let cleanUp: () => Promise<void>;
let latchkey: Latchkey;

beforeAll(async () => {
  ({ storage, cleanUp } = await testStorage());
  // Ages in days. The database's clock decides, which no test can move.
  for (const age of [0, DAYS - 1, DAYS + 1, 400]) {
    await execute(sql`
      insert into audit_events (event_id, at, tenant_id, actor, actor_id, action, target_id, changes, request_id)
      values (${`aud_${age}`}, now() - make_interval(days => cast(${age} as int)), ${tenant}, '{"kind":"operator"}',
        'operator', 'api_key.created', ${`${age} days`}, '{}', 'req_1')`);
  }
});
afterEach(() => latchkey.close());
afterAll(() => cleanUp());

/** The service does not run meanwhile: the embedded store belongs to one process. */
async function execute(statement: RawBuilder<unknown>): Promise<void> {
  const database = await openDatabase(storage);
  await migrateToLatest(database);
  await statement.execute(database.db);
  await database.close();
}

async function start(auditDays: number): Promise<void> {
  latchkey = await startLatchkey({ database: await openDatabase(storage), config: { auditDays }, purgeMs: 20 });
}

/** The ages of the events, oldest first. */
const kept = async () => (await eventsOf(latchkey, tenant)).map(({ target_id }) => target_id).toReversed();

/** What the log says about the retention. */
const said = () =>
  latchkey.logLines
    .map((line): JsonObject => JSON.parse(line))
    .filter((line) => "kept_days" in line)
    .map(({ level, audit_days, kept_days }) => ({ level, audit_days, kept_days }));

test("events are kept for AUDIT_DAYS, and then removed", async () => {
  await start(DAYS);
  await expect.poll(kept).toEqual([`${DAYS - 1} days`, "0 days"]);
  expect(said()).toEqual([{ level: 30, audit_days: DAYS, kept_days: DAYS }]);
});

test("a shorter AUDIT_DAYS removes nothing until the longer one has not been there for a day, and the log says so", async () => {
  await start(1);
  await expect.poll(said).toEqual([{ level: 40, audit_days: 1, kept_days: DAYS }]);
  expect(await kept()).toEqual([`${DAYS - 1} days`, "0 days"]);
  await latchkey.close();

  await execute(sql`update audit_retention set confirmed_at = now() - interval '23 hours'`);
  await start(1);
  await expect.poll(said).toEqual([{ level: 40, audit_days: 1, kept_days: DAYS }]);
  expect(await kept()).toEqual([`${DAYS - 1} days`, "0 days"]);
  await latchkey.close();

  await execute(sql`update audit_retention set confirmed_at = now() - interval '25 hours'`);
  await start(1);
  await expect.poll(kept).toEqual(["0 days"]);
  expect(said()).toEqual([{ level: 30, audit_days: 1, kept_days: 1 }]);
});

test("a longer AUDIT_DAYS counts at once", async () => {
  await start(DAYS);
  await expect.poll(said).toEqual([{ level: 30, audit_days: DAYS, kept_days: DAYS }]);
});
