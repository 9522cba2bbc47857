import pg from "pg";
import { expect, test } from "vitest";
import { openSharedDatabase } from "../consistency/database.ts";
import { stallCommits } from "../consistency/stalled-commit.ts";
import { ACT } from "../harness/act.ts";
import { newKey } from "../store/records.ts";

/** Longer than the silence limit of a connection, shorter than the life of a change mark. */
const STALL_S = 15;
/** The longest time that a caller may wait, whatever the database does. */
const ANSWERED_MS = 5_000;

test("a commit that happens after its replica timed out binds at once", async () => {
  const database = await openSharedDatabase();
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  try {
    const [revoker, verifier] = await Promise.all([database.start(), database.start()]);
    const key = newKey();
    await database.keys.insertKey(key, ACT);
    await verifier.verify(key);
    await stallCommits(admin, STALL_S);
    const startedMs = performance.now();
    await expect(revoker.change("revoke", key)).rejects.toThrow();
    expect(performance.now() - startedMs).toBeLessThan(ANSWERED_MS);
    const { tenantId, keyId } = key.record;
    for (;;) {
      const { status } = await verifier.verify(key);
      const stored = await database.keys.findKey(tenantId, keyId);
      // A verification must show what was committed before it began.
      const after = await verifier.verify(key);
      if (stored?.revokedAt !== null) expect(after.status).toBe("revoked");
      if (status === "revoked") break;
    }
  } finally {
    await admin.end();
    await database.close();
  }
}, 60_000);
