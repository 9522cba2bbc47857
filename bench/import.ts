import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../src/store/sql/driver/open.ts";
import { migrateToLatest } from "../src/store/sql/migrations/migrator.ts";
import { startOwnPostgres } from "../test/servers/postgres.ts";
import { startServer } from "./server.ts";

/**
 * `npm run bench:import [rows]`: how many rows a second `operator/keys/import` stores, in calls of 1,000 rows of a
 * tenant each, beside one caller who verifies a key that is imported already. PostgreSQL writes to the disk before it answers.
 */

const ROWS = Number(process.argv[2] ?? 1_000_000);
const PER_CALL = 1_000;
const CALLS_AT_ONCE = 2;
const TOKEN = randomBytes(32).toString("hex");

const postgres = await startOwnPostgres(undefined, { fsync: "on", synchronous_commit: "on" });
try {
  const database = await openDatabase({ kind: "postgres", url: postgres.url });
  await migrateToLatest(database).finally(() => database.close());
  const server = await startServer(
    { args: ["dist/main.js"], env: { DATABASE_URL: postgres.url, OPERATOR_TOKEN: TOKEN }, isAnyCore: true },
    { method: "GET", path: "/healthz", headers: {}, body: null },
  );
  try {
    await measure(`http://127.0.0.1:${server.port}/api/v1/`);
  } finally {
    await server.stop();
  }
} finally {
  await postgres.stop();
}

async function measure(api: string): Promise<void> {
  const call = async (
    path: string,
    body: object,
    headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` },
  ) => {
    const sent = {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    };
    const response = await fetch(api + path, sent);
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { created: number };
  };
  await call("operator/key-formats/create", {
    ...{ key_format: "bench", prefix: "bench_", length_min: 46, length_max: 46, alphabet: "HEX", algorithm: "SHA256" },
  });
  const rowOf = (tenant: number, text: string) => ({
    ...{ tenant_id: `ten_${tenant}`, key_format: "bench", name: "imported", permissions: ["plans:read"] },
    ...{ external_id: text.slice(-8), hash: { digest: createHash("sha256").update(text).digest("hex") } },
  });
  const draw = () => `bench_${randomBytes(20).toString("hex")}`;
  const first = draw();
  await call("operator/keys/import", { keys: [rowOf(0, first)] });
  let tenant = 0;
  let created = 0;
  const startedAt = performance.now();
  const sender = async () => {
    while (tenant * PER_CALL < ROWS) {
      tenant += 1;
      const of = tenant;
      const answer = await call("operator/keys/import", {
        keys: Array.from({ length: PER_CALL }, () => rowOf(of, draw())),
      });
      created += answer.created;
      if (of % 100 === 0) console.log(`${created} rows, ${rate(created, startedAt)} a second`);
    }
  };
  const verifying: number[] = [];
  let isOver = false;
  const verifier = (async () => {
    while (!isOver) {
      const askedAt = performance.now();
      await call("auth/verify", {}, { "x-api-key": first });
      verifying.push(performance.now() - askedAt);
      await sleep(10);
    }
  })().catch(() => undefined);
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, sender)).finally(() => {
    isOver = true;
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  await verifier;
  verifying.sort((one, other) => one - other);
  const at = (share: number) => (verifying[Math.floor(share * (verifying.length - 1))] ?? 0).toFixed(1);
  console.log(`${created} keys in ${seconds.toFixed(0)} s: ${rate(created, startedAt)} a second`);
  console.log(`verify meanwhile: ${verifying.length} calls, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`);
}

function rate(rows: number, startedAt: number): number {
  return Math.round((1_000 * rows) / (performance.now() - startedAt));
}
