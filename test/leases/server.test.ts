import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import { type OwnPostgres, startOwnPostgres } from "../servers/postgres.ts";
import { LeaseDatabase } from "./database.ts";

/** A server that the tests restart, demote and promote. */
let server: OwnPostgres;
let folder: string;
let db: LeaseDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "latchkey-leases-"));
  // The server may run as another user.
  await chmod(folder, 0o755);
  server = await startOwnPostgres(folder);
  db = await LeaseDatabase.open(server.url);
});
afterAll(async () => {
  await db?.close();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function works(): Promise<void> {
  await expect.poll(() => db.look().then(() => "works", String), { timeout: 15_000 }).toBe("works");
}

/** A session that the restart of the server does not break. */
async function query<Row extends object>(statement: string): Promise<Row[]> {
  const rows = await db.query<Row>(statement);
  await db.disconnect();
  return rows;
}

test("a server that was restarted is another one: all is dropped, replicas stay listed, and it is known from its first renewal on", async () => {
  const [key, replica] = [await db.insertedKey(), db.replica()];
  await replica.round();
  expect(await replica.caches(key)).toBe(true);
  const before = replica.replica.server;
  // The migration knows that no replica was listed before it.
  expect(replica.clocks.mono - (before?.sinceMs ?? 0)).toBeGreaterThan(3_000_000);
  await server.crash();
  await expect(replica.round()).rejects.toThrow(StoreUnavailable);
  expect(await replica.isCached(key)).toBe(true);
  await server.restart();
  await works();
  await replica.round();
  const after = replica.replica.server;
  expect(after?.id).not.toBe(before?.id);
  expect(after?.sinceMs).toBe(replica.clocks.mono);
  expect(await replica.isCached(key)).toBe(false);
  expect(await query("select from replicas")).toHaveLength(1);
  // Another process learns from the list since when the server has been known.
  await replica.round(1_000);
  await query("update known_servers set known_since = known_since - interval '5 seconds'");
  const other = db.replica();
  await other.round();
  const knownMs = other.clocks.mono - (other.replica.server?.sinceMs ?? 0);
  expect(knownMs).toBeGreaterThanOrEqual(5_000);
  expect(knownMs).toBeLessThan(60_000);
});

test("what a crash of the server lost of the acknowledgements is only waited for again", async () => {
  const replica = db.replica();
  await replica.round();
  const key = await db.insertedKey();
  await db.change(key);
  await replica.round();
  await server.crash();
  await server.restart();
  await works();
  const rows = await db.table.readReplicas();
  expect(rows.every(({ seen }) => seen === null || /^\d+:\d+:/.test(seen))).toBe(true);
  await replica.round(1_000);
  expect(replica.lease.isHeld()).toBe(true);
});

test("a standby is refused: nothing is listed there. Once it is promoted, it is used", async () => {
  // Of the tests before, whose replicas are gone: this one would wait for what they may remember.
  await query("delete from replicas");
  const [key, replica] = [await db.insertedKey(), db.replica()];
  await replica.round();
  expect(await replica.caches(key)).toBe(true);
  await server.crash();
  const [data = ""] = await readdir(folder);
  await writeFile(join(folder, data, "data", "standby.signal"), "");
  await server.restart();
  const refusal = /standby|read-only/;
  await expect.poll(() => db.look().catch((err: Error) => String(err.cause)), { timeout: 15_000 }).toMatch(refusal);
  await expect(replica.round()).rejects.toThrow(StoreUnavailable);
  const fresh = db.replica();
  await expect(fresh.replica.register()).rejects.toMatchObject({ name: "StoreUnavailable", cause: { code: "25006" } });
  await expect(db.table.insertMark(key.secretHash)).rejects.toThrow(StoreUnavailable);
  await query("select pg_promote()");
  await works();
  await replica.round();
  expect(await replica.isCached(key)).toBe(false);
  expect(replica.lease.isHeld()).toBe(true);
});
