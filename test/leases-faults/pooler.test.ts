import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Pooler, startPgBouncer } from "../servers/pgbouncer.ts";
import { countBack, countStale, openProcesses, type Processes, warm } from "./processes.ts";
import { sharedMs } from "./store-process.ts";

const CHANGES = inject("longForm") ? 500 : 60;
const AT_ONCE = 6;
/** A look without a notification is 150 ms late at most, and another one may be under way. */
const USUAL_MS = 400;

let processes: Processes;
let pooler: Pooler;
beforeAll(async () => {
  processes = await openProcesses();
  pooler = await startPgBouncer(processes.url);
});
afterAll(async () => {
  await processes?.close();
  await pooler?.stop();
});

/** Without names for statements, which PgBouncer before 1.21 does not take in transaction mode (docs/storage.md). */
const start = () => processes.start({ databaseUrl: pooler.url, namelessStatements: true });

// threat: R2
test("behind PgBouncer in transaction mode, where no notification arrives, revocations bind, a poll later", async () => {
  const [revoker, ...verifiers] = await Promise.all([start(), start(), start()]);
  const all = [revoker, ...verifiers];
  const keys = await processes.newKeys(CHANGES);
  await warm(all, keys);
  await Promise.all(all.map((process) => process.watch(keys)));
  const acked: number[] = [];
  const took: number[] = [];
  let next = 0;
  const revoking = Array.from({ length: AT_ONCE }, async () => {
    for (let n = next++; n < CHANGES; n = next++) {
      const fromMs = sharedMs();
      acked[n] = await revoker.change("revoke", keys[n] as (typeof keys)[number]);
      took[n] = (acked[n] ?? 0) - fromMs;
    }
  });
  await Promise.all(revoking);
  const seen = await Promise.all(all.map((process) => process.seen(keys)));
  const sorted = took.toSorted((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((share) => sorted[Math.floor(CHANGES * share)] ?? Number.NaN) as [number, number];
  console.log(`a revocation took ${p50.toFixed(0)} ms (p50), ${p99.toFixed(0)} ms (p99)`);
  expect({ stale: countStale(acked, seen), back: countBack(seen) }).toEqual({ stale: 0, back: 0 });
  for (const process of all) expect(await process.verify(keys)).toEqual(keys.map(() => "revoked"));
  expect(p50).toBeLessThan(USUAL_MS);
  expect(await processes.query("select from replicas")).toHaveLength(3);
}, 120_000);
