import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { eventsOf, trail } from "../harness/audit.ts";
import { type Latchkey, newTenant, startLatchkey, testStorage } from "../harness/latchkey.ts";

const DAYS = 30;
const tenant = newTenant();
let latchkey: Latchkey;
let cleanUp: () => Promise<void>;

beforeAll(async () => {
  const storage = await testStorage();
  cleanUp = storage.cleanUp;
  const database = await openDatabase(storage.storage);
  await migrateToLatest(database);
  // Ages in days. The database's clock decides, which no test can move.
  for (const age of [0, DAYS - 1, DAYS + 1, 400]) {
    await sql`
      insert into audit_events (event_id, at, tenant_id, actor, actor_id, action, target_id, changes, request_id)
      values (${`aud_${age}`}, now() - make_interval(days => cast(${age} as int)), ${tenant}, '{"kind":"operator"}',
        'operator', 'api_key.created', ${`${age} days`}, '{}', 'req_1')`.execute(database.db);
  }
  latchkey = await startLatchkey({ database, config: { auditDays: DAYS }, purgeMs: 20 });
});

afterAll(async () => {
  await latchkey.close();
  await cleanUp();
});

test("events are kept for AUDIT_DAYS, and then removed", async () => {
  const kept = [
    ["api_key.created", `${DAYS - 1} days`],
    ["api_key.created", "0 days"],
  ];
  await expect.poll(async () => trail(await eventsOf(latchkey, tenant))).toEqual(kept);
});
