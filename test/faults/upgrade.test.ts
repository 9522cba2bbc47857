import pg from "pg";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { MIGRATIONS } from "../../src/store/sql/migrations/migrator.ts";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import { USER_MESSAGE } from "../harness/rpcs.ts";
import { run } from "../harness/service-process.ts";
import { Traffic } from "../harness/traffic.ts";
import { checkOutPreviousRelease, leaseOf, type PreviousRelease, revokeEverywhere } from "./previous-release.ts";

const TRIALS = 50;
const NONE = { stale: 0, staleMsMax: 0 };
const RECOVERY = { timeout: 30_000, interval: 200 };

let previous: PreviousRelease;
let fleet: Fleet;
beforeEach(async () => {
  previous = await checkOutPreviousRelease();
  fleet = await startFleet(inject("redisUrl"), inject("postgresUrl"));
}, 300_000);
afterEach(async () => {
  await fleet?.close();
  await previous?.remove();
});

const startOlder = () => fleet.start({ DRAIN_SECONDS: "1" }, previous.main);
const startNewer = () => fleet.start({ DRAIN_SECONDS: "1" });

/** Sends requests of all kinds to the traffic's targets until the work is done; each one must get its response. */
async function under(traffic: Traffic, work: () => Promise<void>): Promise<void> {
  let isWorking = true;
  let sent = 0;
  const sending = (async () => {
    for (; isWorking; sent += 200) await traffic.send(200);
  })();
  try {
    await work();
  } finally {
    isWorking = false;
    await sending;
  }
  expect(traffic.answered).toBe(sent);
  expect(sent).toBeGreaterThan(1_000);
}

/** Ends a replica as a deploy does: no more requests are sent to it, and those under way get their response. */
async function retire(traffic: Traffic, replica: Replica): Promise<void> {
  traffic.targets = traffic.targets.filter((target) => target !== replica);
  expect(await replica.end("SIGTERM")).toBe(0);
}

/** One of each kind of write, read again on each of the replicas. */
async function writeAndRead(writer: Replica, readers: readonly Replica[]): Promise<void> {
  const dashboard = await fleet.dashboard();
  const { key, key_id } = await fleet.createKey(writer, { permissions: ["conversations:*"] });
  const headers = { "x-api-key": key };
  const conversation_key = newId("key");
  const body = { conversation_key, user_message: USER_MESSAGE };
  const sent = await writer.call("/api/v1/llm/gateway/send-message", body, headers);
  expect(sent.status, sent.text).toBe(200);
  for (const reader of readers) {
    expect((await reader.call("/api/v1/auth/verify", {}, headers)).json).toMatchObject({ key_id });
    const listed = await reader.call("/api/v1/api-keys/list", {}, dashboard);
    expect(listed.text).toContain(key_id);
    const state = await reader.call(
      "/api/v1/llm/gateway/get-conversation-state",
      { conversation_key, wait_ms: 10_000 },
      headers,
    );
    expect(state.text).toContain("You said: Hello");
  }
}

async function migrated(): Promise<string[]> {
  const client = new pg.Client({ connectionString: fleet.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ name: string }>("select name from kysely_migration order by name");
  await client.end();
  return rows.map(({ name }) => name);
}

test("an upgrade under load loses no request: the older version works on the new schema, and beside the newer one", async () => {
  const older = [await startOlder(), await startOlder()] as const;
  const traffic = await Traffic.start(fleet, older);
  await under(traffic, async () => {
    const migration = run("../dist/migrate.js", { DATABASE_URL: fleet.databaseUrl }, process.cwd());
    expect(await migration.ended()).toBe(0);
    expect(await migrated()).toEqual(Object.keys(MIGRATIONS));
    await writeAndRead(older[0], older);
    expect(await revokeEverywhere(fleet, older[0], older, TRIALS)).toEqual(NONE);

    const newer = await startNewer();
    const all = [...older, newer];
    traffic.targets = all;
    for (const replica of all) await writeAndRead(replica, all);
    expect(await revokeEverywhere(fleet, older[0], all, TRIALS)).toEqual(NONE);
    expect(await revokeEverywhere(fleet, newer, all, TRIALS)).toEqual(NONE);

    await retire(traffic, older[0]);
    const second = await startNewer();
    traffic.targets = [older[1], newer, second];
    await retire(traffic, older[1]);
    await writeAndRead(newer, [newer, second]);
  });
  await expect.poll(() => Promise.all(traffic.targets.map(leaseOf)), RECOVERY).toEqual([1, 1]);
  await traffic.expectExact(fleet);
}, 600_000);

test("a rollback under load loses no request: the older version starts on the new schema, and reads what the newer wrote", async () => {
  const newer = [await startNewer(), await startNewer()] as const;
  const traffic = await Traffic.start(fleet, newer);
  await under(traffic, async () => {
    await writeAndRead(newer[0], newer);
    const older = await startOlder();
    const all = [...newer, older];
    traffic.targets = all;
    for (const replica of all) await writeAndRead(replica, all);
    expect(await revokeEverywhere(fleet, older, all, TRIALS)).toEqual(NONE);
    expect(await revokeEverywhere(fleet, newer[0], all, TRIALS)).toEqual(NONE);

    await retire(traffic, newer[0]);
    const second = await startOlder();
    traffic.targets = [newer[1], older, second];
    await writeAndRead(newer[1], [older, second]);
    await retire(traffic, newer[1]);
    expect(await revokeEverywhere(fleet, older, [older, second], TRIALS)).toEqual(NONE);
  });
  await traffic.expectExact(fleet);
}, 600_000);
