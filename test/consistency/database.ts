import { inject } from "vitest";
import type { KeyStore } from "../../src/domain/ports/keys.ts";
import { createKeyStore } from "../../src/store/sql/key-store.ts";
import { migrateToLatest } from "../../src/store/sql/migrator.ts";
import { openDatabase } from "../../src/store/sql/open.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";
import { type Replica, type ReplicaOptions, startReplica } from "./store-process.ts";

/** A database of a test, with the replicas that use it. */
export interface SharedDatabase {
  readonly url: string;
  readonly keys: KeyStore;
  start(options?: Partial<ReplicaOptions>): Promise<Replica>;
  close(): Promise<void>;
}

/** Creates it on the shared server, or on a server without the transactions of other tests. */
export async function openSharedDatabase(server = inject("postgresUrl")): Promise<SharedDatabase> {
  const url = await createDatabase(server);
  const database = await openDatabase({ kind: "postgres", url, poolSize: 4 });
  await migrateToLatest(database);
  const replicas: Replica[] = [];
  return {
    url,
    keys: createKeyStore(database),
    async start(options = {}) {
      const replica = await startReplica({ databaseUrl: url, redisUrl: inject("redisUrl"), ...options });
      replicas.push(replica);
      return replica;
    },
    async close() {
      await Promise.all(replicas.map((replica) => replica.stop()));
      await database.close();
      await dropDatabase(server, url);
    },
  };
}
