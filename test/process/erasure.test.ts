// promise: erasure.tenant, erasure.finishes
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, type TestContext, test } from "vitest";
import { startFleet } from "../harness/fleet.ts";
import { newTenant } from "../harness/latchkey.ts";
import { OPERATOR, OPERATOR_TOKEN } from "../harness/operator.ts";

const CONVERSATIONS = 2_000;
const RUNS = 24_000;
const KEYS = 250;
const TIMEOUT_MS = 120_000;
const MANAGED = { OPERATOR_TOKEN };

/** Conversations with so many completed runs, of two messages each, and keys that were used. */
const SEED = [
  `insert into threads (thread_id, tenant_id, user_id, conversation_key, message_count, created_at, updated_at)
   select 'thr_' || $1 || n, $1, 'user-' || n % 10, 'c' || n, 24, now(), now() from generate_series(1, ${CONVERSATIONS}) n`,
  `insert into runs (run_id, thread_id, status, not_before, created_at, updated_at)
   select 'run_' || $1 || n, 'thr_' || $1 || (1 + n % ${CONVERSATIONS}), 'completed', now(), now(), now()
   from generate_series(1, ${RUNS}) n`,
  `insert into messages (message_id, run_id, role, parts, bytes, created_at)
   select 'msg_' || role || run_id, run_id, role, '["a text of a person"]', 24, now()
   from runs, unnest(array['user', 'assistant']) as role where run_id like 'run_' || $1 || '%'`,
  `insert into sent_messages (tenant_id, user_id, client_message_id, run_id)
   select $1, '', 'id-' || n, 'run_' || $1 || n from generate_series(1, ${RUNS}, 2) n`,
  `insert into api_keys (key_id, tenant_id, secret_hash, secret_prefix, type, name, description, permissions,
     requests_per_minute, requests_per_hour, burst_size, created_at, updated_at)
   select 'key_' || $1 || n, $1, sha256(convert_to($1 || n, 'UTF8')), 'sk_abcdefghi', 'secret', 'of a person', '', '["*"]',
     0, 0, 0, now(), now() from generate_series(1, ${KEYS}) n`,
  `insert into key_usage_hours (tenant_id, key_id, hour, outcome, count)
   select $1, key_id, hour, '', 1 from api_keys, generate_series(timestamptz '2026-01-01', '2026-01-02', '1 hour') as hour
   where tenant_id = $1`,
  `insert into key_usage (key_id, total, successful, failed) select key_id, 1, 1, 0 from api_keys where tenant_id = $1`,
];

const ROWS_OF_TENANT = `
  select
    (select count(*) from threads where tenant_id = $1)::int as threads,
    (select count(*) from runs where run_id like 'run_' || $1 || '%')::int as runs,
    (select count(*) from messages where run_id like 'run_' || $1 || '%')::int as messages,
    (select count(*) from sent_messages where tenant_id = $1)::int as sent,
    (select count(*) from key_usage where key_id like 'key_' || $1 || '%')::int as usage,
    (select count(*) from key_usage_hours where tenant_id = $1)::int as hours,
    (select count(*) from api_keys where tenant_id = $1 and revoked_at is null)::int as usable,
    (select count(*) from api_keys where tenant_id = $1)::int as keys`;

async function started({ onTestFinished }: TestContext) {
  const fleet = await startFleet("");
  onTestFinished(fleet.close);
  const replicas = await Promise.all([fleet.start(MANAGED), fleet.start(MANAGED)]);
  const db = new pg.Client({ connectionString: fleet.databaseUrl });
  await db.connect();
  onTestFinished(() => db.end());
  const seeded = async () => {
    const tenant = newTenant();
    for (const statement of SEED) await db.query(statement, [tenant]);
    return tenant;
  };
  const rowsOf = async (tenant: string) => (await db.query(ROWS_OF_TENANT, [tenant])).rows[0];
  const removed = async () => (await db.query("select removed from erasures")).rows[0]?.removed ?? {};
  return { fleet, replicas, db, seeded, rowsOf, removed };
}

test(
  "an erasure whose processes are killed is finished by others, with one event that has the right sums",
  async (ctx) => {
    const { fleet, replicas, db, seeded, rowsOf, removed } = await started(ctx);
    const [tenant, other] = [await seeded(), await seeded()];
    const untouched = await rowsOf(other);
    const [first, second] = replicas;

    /** Waits until more than so many runs are removed, but not all. */
    async function removedMoreThan(runs: number): Promise<number> {
      for (const untilMs = performance.now() + TIMEOUT_MS / 4; performance.now() < untilMs; await sleep(5)) {
        const { runs: gone = 0 } = await removed();
        if (gone > runs) return gone;
      }
      throw new Error(`no more than ${runs} runs were removed`);
    }

    const begun = first.call("/api/v1/operator/tenants/erase", { tenant_id: tenant }, OPERATOR).catch(() => undefined);
    await removedMoreThan(0);
    await first.end("SIGKILL");
    await begun;
    const afterFirst = await removedMoreThan(await removed().then(({ runs }) => runs));
    await second.end("SIGKILL");
    // Else the kills hit nothing and the test showed nothing.
    expect(afterFirst).toBeLessThan(RUNS);
    expect((await rowsOf(tenant)).runs).toBe(RUNS - (await removed()).runs);

    const third = await fleet.start(MANAGED);
    await expect
      .poll(async () => (await db.query("select from erasures")).rowCount, { timeout: TIMEOUT_MS / 2 })
      .toBe(0);
    expect(await rowsOf(tenant)).toEqual({
      threads: 0,
      runs: 0,
      messages: 0,
      sent: 0,
      usage: 0,
      hours: 0,
      usable: 0,
      keys: KEYS,
    });
    expect(await rowsOf(other)).toEqual(untouched);
    const { rows } = await db.query("select target_id, changes from audit_events where action = 'tenant.erased'");
    expect(rows).toEqual([
      {
        target_id: tenant,
        changes: {
          conversations: { old: CONVERSATIONS, new: 0 },
          runs: { old: RUNS, new: 0 },
          messages: { old: 2 * RUNS, new: 0 },
          client_message_ids: { old: RUNS / 2, new: 0 },
          keys: { old: KEYS, new: 0 },
          key_usage: { old: KEYS * 26, new: 0 },
        },
      },
    ]);
    const again = await third.call("/api/v1/operator/tenants/erase", { tenant_id: tenant }, OPERATOR);
    expect(again.json.result).toMatchObject({ finished: true, removed: { messages: 0, keys: 0 } });
  },
  TIMEOUT_MS,
);

test(
  "a call on one replica returns what another has removed, and the keys are refused on both",
  async (ctx) => {
    const { fleet, replicas, rowsOf, removed } = await started(ctx);
    const [first, second] = replicas;
    const { key, key_id } = await fleet.createKey(first);
    const { json } = await first.call("/api/v1/operator/keys/find", { key_id }, OPERATOR);
    const tenant = json.keys[0].tenant_id;
    const use = async () =>
      Promise.all(
        replicas.map(async (replica) => {
          const response = await replica.call("/api/v1/auth/verify", {}, { "x-api-key": key });
          return response.json.denial_reason ?? response.status;
        }),
      );
    expect(await use()).toEqual([200, 200]);
    const responses = await Promise.all(
      [first, second].map((replica) => replica.call("/api/v1/operator/tenants/erase", { tenant_id: tenant }, OPERATOR)),
    );
    expect(await use()).toEqual(["api_key_revoked", "api_key_revoked"]);
    for (const { json: body } of responses) expect(body.result.finished).toBe(true);
    const [one, two] = responses.map(({ json: body }) => body.result.removed.keys);
    expect(Math.max(one, two)).toBe(1);
    expect(await rowsOf(tenant)).toMatchObject({ usable: 0, keys: 1 });
    expect(await removed()).toEqual({});
  },
  TIMEOUT_MS,
);
