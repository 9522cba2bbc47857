import pg from "pg";
import { expect, inject } from "vitest";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import type { KeyStore } from "../../src/domain/keys/key-store.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { ACT } from "../harness/act.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";
import { newKey } from "../store/records.ts";
import { type Seen, type StoreProcess, type StoreProcessOptions, startStoreProcess } from "./store-process.ts";

/** A database with the processes that use it. */
export interface Processes {
  readonly url: string;
  readonly keys: KeyStore;
  /** Runs statements beside the processes. */
  query(statement: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  start(options?: Partial<StoreProcessOptions>): Promise<StoreProcess>;
  /** Stores active keys. */
  newKeys(count: number): Promise<NewKey[]>;
  close(): Promise<void>;
}

export async function openProcesses(
  defaults: Partial<StoreProcessOptions> = {},
  server = inject("postgresUrl"),
): Promise<Processes> {
  const url = await createDatabase(server);
  const database = await openDatabase({ kind: "postgres", url, poolSize: 4 });
  await migrateToLatest(database);
  const keys = createKeyStore(database);
  const admin = new pg.Pool({ connectionString: url, max: 2 });
  // A server that ends breaks its idle connections.
  admin.on("error", () => {});
  const processes: StoreProcess[] = [];
  return {
    url,
    keys,
    query: async (statement, values = []) => (await admin.query(statement, [...values])).rows,
    async start(options = {}) {
      const process = await startStoreProcess({ databaseUrl: url, ...defaults, ...options });
      processes.push(process);
      return process;
    },
    async newKeys(count) {
      const created = Array.from({ length: count }, () => newKey());
      await Promise.all(created.map((key) => keys.insertKey(key, ACT)));
      return created;
    },
    async close() {
      await Promise.all(processes.map((process) => process.kill()));
      await Promise.all([database.close(), admin.end()]);
      await dropDatabase(server, url);
    },
  };
}

/** Has each process cache the keys and their tenants, and checks that it did. */
export async function warm(processes: readonly StoreProcess[], keys: readonly NewKey[]): Promise<void> {
  for (const process of processes) {
    await expect.poll(() => process.state(), { timeout: 20_000 }).toMatchObject({ isLeaseHeld: true });
    const before = (await process.state()).records;
    const cached = async () => {
      await process.verify(keys);
      return (await process.state()).records - before;
    };
    await expect.poll(cached).toBe(2 * keys.length);
  }
}

/** How many keys were accepted by a verification that began after the change was acknowledged. */
export function countStale(ackedMs: readonly number[], seen: readonly (readonly Seen[])[]): number {
  return ackedMs.filter((acked, n) => seen.some((bySome) => (bySome[n] as Seen).acceptedFromMs > acked)).length;
}

/** How many keys were accepted by a verification that began after another one had rejected them. */
export function countBack(seen: readonly (readonly Seen[])[]): number {
  const keys = Array.from({ length: seen[0]?.length ?? 0 }, (_, n) => seen.map((bySome) => bySome[n] as Seen));
  return keys.filter((ofKey) => {
    const rejectedMs = Math.min(...ofKey.map(({ rejectedToMs }) => rejectedToMs));
    return ofKey.some(({ acceptedFromMs }) => acceptedFromMs > rejectedMs);
  }).length;
}
