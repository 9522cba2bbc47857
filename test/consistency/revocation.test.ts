import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { newKey } from "../store/records.ts";
import { openSharedDatabase, type SharedDatabase } from "./database.ts";
import { runTrials } from "./trials.ts";

/** `npm run test:faults` runs the long form. */
const TRIALS = inject("longForm") ? 5_000 : 300;
const NAIVE_TRIALS = 300;
const DISTURBANCES = { readDelayMs: 24, stepDelayMs: 4, evictions: 0.1 };

let database: SharedDatabase;

beforeAll(async () => {
  database = await openSharedDatabase();
});

afterAll(() => database.close());

describe("a revocation that was acknowledged binds on every replica", () => {
  test("with cold keys, slow readers, evictions and pauses between its steps", async () => {
    const [revoker, verifier] = await Promise.all([database.start(DISTURBANCES), database.start(DISTURBANCES)]);
    const stale = await runTrials(TRIALS, database.keys, revoker, [verifier]);
    expect(stale).toEqual({ atOnce: 0, later: 0 });
  }, 600_000);

  test("unlike with a cache that deletes its entry after the commit, in the same trials", async () => {
    const naive = { ...DISTURBANCES, protocol: "naive" } as const;
    const [revoker, verifier] = await Promise.all([database.start(naive), database.start(naive)]);
    const stale = await runTrials(NAIVE_TRIALS, database.keys, revoker, [verifier]);
    expect(stale.atOnce).toBeGreaterThan(0);
    expect(stale.later).toBeGreaterThan(0);
  }, 600_000);
});

describe("a process killed in the middle of a revocation", () => {
  test("before the commit leaves the key unchanged, and it can still be revoked", async () => {
    const [doomed, other] = await Promise.all([database.start({ dieBefore: "commit" }), database.start()]);
    const key = newKey();
    await database.keys.insertKey(key);
    await other.verify(key);
    await expect(doomed.change("revoke", key)).rejects.toThrow("gone");
    await doomed.ended;
    expect((await other.verify(key)).status).toBe("active");
    await other.change("revoke", key);
    expect((await other.verify(key)).status).toBe("revoked");
  });

  test("after the commit, but before the invalidation, has revoked the key on every replica", async () => {
    // An entry stored between begin and commit would have the old record.
    const [doomed, other] = await Promise.all([
      database.start({ dieBefore: "end", stepDelayMs: 500 }),
      database.start(),
    ]);
    const keys = Array.from({ length: 10 }, () => newKey());
    for (const key of keys) {
      await database.keys.insertKey(key);
      expect((await other.verify(key)).status).toBe("active");
    }
    let isGone = false;
    const verifying = keys.map(async (key) => {
      while (!isGone) await other.verify(key);
    });
    const changes = await Promise.allSettled(keys.map((key) => doomed.change("revoke", key)));
    await doomed.ended;
    isGone = true;
    await Promise.all(verifying);
    expect(changes.every(({ status }) => status === "rejected")).toBe(true);
    const stored = await Promise.all(
      keys.map(({ record: { tenantId, keyId } }) => database.keys.findKey(tenantId, keyId)),
    );
    const committed = keys.filter((_, n) => stored[n]?.revokedAt !== null);
    expect(committed.length).toBeGreaterThan(0);
    for (const key of committed) expect((await other.verify(key)).status).toBe("revoked");
  });

  test("unlike with a cache that deletes its entry after the commit", async () => {
    const [doomed, other] = await Promise.all([
      database.start({ dieBefore: "end", protocol: "naive" }),
      database.start({ protocol: "naive" }),
    ]);
    const key = newKey();
    await database.keys.insertKey(key);
    await other.verify(key);
    await expect(doomed.change("revoke", key)).rejects.toThrow("gone");
    await doomed.ended;
    expect((await other.verify(key)).status).toBe("active");
  });
});
