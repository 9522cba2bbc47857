import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import { TIMES } from "../../src/store/replicas/times.ts";
import { openProcesses, type Processes, warm } from "./processes.ts";
import type { StoreProcess, Verb } from "./store-process.ts";

const times = { ...TIMES, lease: 1_000, bound: 2_200, renewal: 350 };
/** For a busy machine. */
const LATE_MS = 1_500;
/** A look that a notification wakes, or the next one without. */
const LOOK = { timeout: times.poll + LATE_MS, interval: 10 };

let processes: Processes;
let survivors: readonly [StoreProcess, StoreProcess];
beforeAll(async () => {
  processes = await openProcesses({ times });
  survivors = await Promise.all([processes.start(), processes.start()]);
});
afterAll(() => processes.close());

async function newKey(): Promise<NewKey> {
  const [key] = await processes.newKeys(1);
  if (key === undefined) throw new Error("there is no key");
  return key;
}

/** A change after which a key is refused, its status then, and the rows which it made that name the key or its tenant. */
const CHANGES: readonly (readonly [string, Verb, string, string])[] = [
  ["revokes a key", "revoke", "revoked", "select from api_keys where revoked_at is not null and key_id = $1"],
  [
    "suspends a tenant",
    "suspend",
    "suspended",
    "select from tenant_suspensions join api_keys using (tenant_id) where key_id = $1",
  ],
];

const statuses = async (key: NewKey) => (await Promise.all(survivors.map((one) => one.verify([key])))).flat();
const rows = async (table: string) => (await processes.query(`select from ${table}`)).length;

async function timed(change: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await change();
  return performance.now() - startedMs;
}

/** One change waits for the dead process, the next one does not, and its row is removed. */
async function expectOneDelay(survivor: StoreProcess): Promise<void> {
  const [first, second] = await processes.newKeys(2);
  if (first === undefined || second === undefined) throw new Error("there are no keys");
  expect(await timed(() => survivor.change("revoke", first))).toBeLessThan(times.bound + times.mark + LATE_MS);
  await expect.poll(() => rows("replicas"), { timeout: times.bound + LATE_MS }).toBe(2);
  expect(await timed(() => survivor.change("revoke", second))).toBeLessThan(LATE_MS);
  expect(await statuses(first)).toEqual(["revoked", "revoked"]);
  expect(await statuses(second)).toEqual(["revoked", "revoked"]);
  expect(await rows("key_marks")).toBe(0);
}

describe.each(CHANGES)("a process that is killed while it %s", (_what, verb, refused, made) => {
  test.each([
    ["after the mark", "marked", 1],
    ["with the change made, before the commit", "updated", 1],
  ] as const)("%s has changed nothing, and the change can be made", async (_, step, marks) => {
    const doomed = await processes.start();
    const key = await newKey();
    await warm([...survivors, doomed], [key]);
    await doomed.stopAt(step);
    await expect(doomed.change(verb, key)).rejects.toThrow("gone");
    await doomed.ended;
    expect(await statuses(key)).toEqual(["active", "active"]);
    expect(await rows("key_marks")).toBe(marks);
    // Nothing else ends the mark of a dead process.
    const [one] = survivors;
    const { records } = await one.state();
    await one.verify([key]);
    expect((await one.state()).records).toBe(records);
    await processes.query("update key_marks set marked_at = marked_at - interval '1 minute'");
    const cached = async () => {
      await one.verify([key]);
      return (await one.state()).records;
    };
    await expect.poll(cached, LOOK).toBe(records + 1);

    await one.change(verb, key);
    expect(await statuses(key)).toEqual([refused, refused]);
    await expectOneDelay(one);
  });

  test("after the commit, before it waited, has made the change on all others", async () => {
    const doomed = await processes.start();
    const key = await newKey();
    await warm([...survivors, doomed], [key]);
    await doomed.stopAt("committed");
    await expect(doomed.change(verb, key)).rejects.toThrow("gone");
    await doomed.ended;
    await expect.poll(() => statuses(key), LOOK).toEqual([refused, refused]);
    // Says "done" only once no process can accept the key any more, the dead process included.
    const [one] = survivors;
    expect(await timed(() => one.change(verb, key))).toBeGreaterThan(times.lease);
    expect(await statuses(key)).toEqual([refused, refused]);
    await expectOneDelay(one);
  });

  test("while it waited for another process has made the change on all others, that one included", async () => {
    const [doomed, stopped] = await Promise.all([processes.start(), processes.start()]);
    const key = await newKey();
    await warm([...survivors, doomed, stopped], [key]);
    stopped.pause();
    const change = doomed.change(verb, key).catch(String);
    const isCommitted = async () => (await processes.query(made, [key.record.keyId])).length;
    await expect.poll(isCommitted).toBe(1);
    await doomed.kill();
    expect(await change).toContain("gone");
    expect(await statuses(key)).toEqual([refused, refused]);
    const [one] = survivors;
    await one.change(verb, key);
    const late = stopped.verify([key]);
    stopped.resume();
    expect(await late).toEqual([refused]);
    await stopped.kill();
    await expectOneDelay(one);
  });
});

// threat: H9
describe.each(CHANGES)("a process that is killed while another one %s", (_what, verb, refused) => {
  test.each([
    ["between its look and dropping the record", "looked"],
    ["after it dropped the record, before it said so", "applied"],
  ] as const)("%s delays the change by the bound at most", async (_, step) => {
    const doomed = await processes.start();
    const key = await newKey();
    await warm([...survivors, doomed], [key]);
    await doomed.stopAt(step);
    const [one] = survivors;
    const tookMs = await timed(() => one.change(verb, key));
    await doomed.ended;
    expect(tookMs).toBeGreaterThan(times.lease);
    expect(tookMs).toBeLessThan(times.bound + times.mark + LATE_MS);
    expect(await statuses(key)).toEqual([refused, refused]);
    await expectOneDelay(one);
  });
});

describe("a process that is stopped between mark and transaction", () => {
  test("until the mark counts no more makes no change", async () => {
    const slow = await processes.start();
    const key = await newKey();
    await warm([...survivors, slow], [key]);
    await slow.stopAt("marked", "hold");
    const change = slow.change("revoke", key).catch(String);
    await expect.poll(async () => (await slow.state()).isHeldAtStep).toBe(true);
    await processes.query("update key_marks set marked_at = marked_at - interval '1 minute'");
    await slow.goOn();
    expect(await change).toContain("make it again");
    expect(await statuses(key)).toEqual(["active", "active"]);
    await slow.change("revoke", key);
    expect(await statuses(key)).toEqual(["revoked", "revoked"]);
    await slow.kill();
    await expectOneDelay(survivors[0]);
  });

  test("for nearly as long, and then waits for a lock, acknowledges nothing that others do not know", async () => {
    // A process without notifications that rarely looks uses a stale record for long.
    const [slow, verifier] = await Promise.all([
      processes.start(),
      processes.start({ listens: false, times: { ...times, poll: 700 } }),
    ]);
    const locker = new pg.Client({ connectionString: processes.url });
    await locker.connect();
    const key = await newKey();
    await warm([...survivors, slow, verifier], [key]);
    await slow.stopAt("marked", "hold");
    const change = slow.change("revoke", key).catch(() => undefined);
    await expect.poll(async () => (await slow.state()).isHeldAtStep).toBe(true);
    await processes.query("update key_marks set marked_at = clock_timestamp() - interval '59 s'");
    await locker.query("begin");
    await locker.query("select from api_keys where key_id = $1 for update", [key.record.keyId]);
    await verifier.watch([key]);
    await slow.goOn();
    // The mark counts no more, and the verifier has looked.
    await sleep(1_000 + 700 + 200);
    await locker.end();
    const ackedMs = (await change) ?? (await slow.change("revoke", key));
    await sleep(700);
    const [seen] = await verifier.seen([key]);
    expect(seen?.acceptedFromMs).toBeLessThan(ackedMs);
    await Promise.all([slow.kill(), verifier.kill()]);
    await expectOneDelay(survivors[0]);
  });
});
