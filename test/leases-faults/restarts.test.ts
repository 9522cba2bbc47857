import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import { TIMES } from "../../src/store/replicas/times.ts";
import { type OwnPostgres, startOwnPostgres } from "../servers/postgres.ts";
import { countStale, openProcesses, type Processes, warm } from "./processes.ts";
import { sharedMs } from "./store-process.ts";

/** `npm run test:faults` restarts more often, and takes the real times. */
const LONG = inject("longForm");
const times = LONG ? TIMES : { ...TIMES, lease: 800, bound: 1_800, renewal: 300 };
const RESTARTS = LONG ? 10 : 2;
const REVOKERS = 8;

let postgres: OwnPostgres;
let processes: Processes;
beforeEach(async () => {
  postgres = await startOwnPostgres();
  processes = await openProcesses({ times }, postgres.url);
});
afterEach(async () => {
  await processes.close();
  await postgres.stop();
});

interface Change {
  readonly key: NewKey;
  readonly fromMs: number;
  readonly ackedMs: number;
}

// threat: H7
test("while PostgreSQL is restarted under load, an acknowledged revocation binds, and all recovers by itself", async () => {
  const [revoker, ...verifiers] = await Promise.all([processes.start(), processes.start(), processes.start()]);
  const changes: Change[] = [];
  let failures = 0;
  let isOver = false;
  const revoking = Array.from({ length: REVOKERS }, async () => {
    while (!isOver) {
      const [key] = await processes.newKeys(1).catch(() => []);
      if (key === undefined) {
        failures += 1;
        await sleep(20);
        continue;
      }
      await Promise.all(verifiers.map((verifier) => verifier.watch([key])));
      for (;;) {
        const fromMs = sharedMs();
        const ackedMs = await revoker.change("revoke", key).catch(() => undefined);
        if (ackedMs === undefined) failures += 1;
        else changes.push({ key, fromMs, ackedMs });
        if (ackedMs !== undefined || isOver) break;
        await sleep(20);
      }
    }
  });
  await sleep(1_000);
  const restarts: { readonly downMs: number; readonly upMs: number }[] = [];
  for (let n = 0; n < RESTARTS; n++) {
    await (n % 2 === 0 ? postgres.shutDown() : postgres.crash());
    const downMs = sharedMs();
    await sleep(n % 4 < 2 ? 0 : times.lease + 500);
    // Not after: a busy machine notices late that the server is ready, and its first change may have begun by then.
    const upMs = sharedMs();
    await postgres.restart();
    restarts.push({ downMs, upMs });
    await sleep(times.bound + 1_500);
  }
  isOver = true;
  await Promise.all(revoking);

  const keys = changes.map(({ key }) => key);
  const acked = changes.map(({ ackedMs }) => ackedMs);
  const seen = await Promise.all(verifiers.map((verifier) => verifier.seen(keys)));
  console.log(`${changes.length} revocations acknowledged, ${failures} attempts failed, ${RESTARTS} restarts`);
  expect(countStale(acked, seen)).toBe(0);
  expect(await revoker.verify(keys)).toEqual(keys.map(() => "revoked"));
  expect(changes.length).toBeGreaterThan(REVOKERS * RESTARTS);
  // A server that was just started may list too few replicas: the changes that it makes first wait for the bound.
  for (const { downMs, upMs } of restarts) {
    const first = Math.min(...changes.filter(({ fromMs }) => fromMs > downMs).map(({ ackedMs }) => ackedMs));
    expect(first).toBeGreaterThan(upMs + times.bound);
  }
  await warm([revoker, ...verifiers], await processes.newKeys(1));
  const [key] = await processes.newKeys(1);
  const startedMs = sharedMs();
  if (key !== undefined) await revoker.change("revoke", key);
  expect(sharedMs() - startedMs).toBeLessThan(times.bound);
}, 300_000);
