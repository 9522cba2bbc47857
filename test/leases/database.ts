import pg from "pg";
import { inject } from "vitest";
import type { NewKey, StoredChange } from "../../src/domain/keys/key-change.ts";
import type { KeyStore } from "../../src/domain/keys/key-store.ts";
import { createFollowers, type Followers } from "../../src/store/replicas/followers.ts";
import { createLease, type Lease } from "../../src/store/replicas/lease.ts";
import { createRecordCache, type RecordCache } from "../../src/store/replicas/record-cache.ts";
import { LookingReplica, type ReplicaOptions } from "../../src/store/replicas/replica.ts";
import type { Look, ReplicaTable, SeenOnServer, Snapshot } from "../../src/store/replicas/replica-table.ts";
import { createRoster } from "../../src/store/replicas/roster.ts";
import { TIMES } from "../../src/store/replicas/times.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { createReplicaTable } from "../../src/store/sql/replicas/replica-rows.ts";
import { ACT } from "../harness/act.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";
import { newKey } from "../store/records.ts";

/** A database of a test on a real server, with what operators and replicas do on it, step by step. */
export class LeaseDatabase {
  readonly url: string;
  readonly database: SqlDatabase;
  readonly table: ReplicaTable;
  readonly keys: KeyStore;
  readonly #server: string;
  readonly #clients: pg.Client[] = [];

  private constructor(server: string, url: string, database: SqlDatabase) {
    this.#server = server;
    this.url = url;
    this.database = database;
    this.table = createReplicaTable(database);
    this.keys = createKeyStore(database);
  }

  static async open(server = inject("postgresUrl")): Promise<LeaseDatabase> {
    const url = await createDatabase(server);
    const database = await openDatabase({ kind: "postgres", url, poolSize: 4 });
    await migrateToLatest(database);
    return new LeaseDatabase(server, url, database);
  }

  async close(): Promise<void> {
    await this.disconnect();
    await this.database.close();
    await dropDatabase(this.#server, this.url);
  }

  /** Ends the sessions of `connect`. */
  async disconnect(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.end()));
  }

  /** A snapshot on this server. */
  async here(snapshot: Snapshot): Promise<SeenOnServer> {
    return { snapshot, server: (await this.look()).server };
  }

  /** A session of an operator. */
  async connect(config: pg.ClientConfig = {}): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url, ...config });
    client.on("error", () => {});
    await client.connect();
    this.#clients.push(client);
    return client;
  }

  /** Runs a statement in a session of its own. */
  async query<Row extends pg.QueryResultRow>(statement: string, values: unknown[] = []): Promise<Row[]> {
    const client = await this.connect();
    return (await client.query<Row>(statement, values)).rows;
  }

  async insertedKey(): Promise<NewKey> {
    const key = newKey();
    await this.keys.insertKey(key, ACT);
    return key;
  }

  /** Changes a key as an operator would, without a mark. */
  async change(...keys: readonly NewKey[]): Promise<void> {
    for (const { record } of keys) await this.update(record, { name: "changed" });
  }

  async update({ tenantId, keyId }: NewKey["record"], patch: StoredChange["patch"]): Promise<void> {
    await this.keys.updateKeyUnderLock(tenantId, keyId, () => ({ patch }), ACT);
  }

  /** Adds changes of an unknown key to the change log. */
  async logChanges(changes: number, transactionId = "pg_current_xact_id()"): Promise<void> {
    await this.query(
      `insert into key_changes (secret_hash, transaction_id) select '\\x00', ${transactionId} from generate_series(1, ${changes})`,
    );
  }

  /** A look of a replica that is not in the list. */
  look(since: Snapshot | null = null): Promise<Look> {
    return this.table.look(NOBODY, since);
  }

  replica(options: Partial<ReplicaOptions> = {}): SteppedReplica {
    return new SteppedReplica(this, options);
  }

  async listed(): Promise<{ replica_id: string; beats: number; seen: string | null }[]> {
    return this.query("select replica_id, beats::int, seen::text from replicas order by replica_id");
  }
}

const NOBODY = "00000000-0000-4000-8000-000000000000";

/** A replica whose steps and clocks the test controls. It begins with the real time of the test, which then stands still. */
export class SteppedReplica {
  readonly clocks = {
    mono: 1_000_000,
    wall: Date.now(),
    monotonicMs: () => this.clocks.mono,
    wallMs: () => this.clocks.wall,
  };
  readonly lease: Lease = createLease(TIMES.lease, this.clocks);
  readonly cache: RecordCache = createRecordCache({ mayUse: this.lease.isHeld });
  readonly followers: Followers = createFollowers(this.cache, { leaseLeftMs: this.lease.leftMs, clocks: this.clocks });
  readonly replica: LookingReplica;
  readonly #keys: Pick<KeyStore, "findKeyBySecretHash">;
  #reads = 0;

  constructor({ table, keys }: LeaseDatabase, options: Partial<ReplicaOptions>) {
    const { lease, cache, clocks, followers } = this;
    const roster = createRoster({ table: options.table ?? table, clocks });
    this.replica = new LookingReplica({
      ...{ table, cache: followers.cache, lease, clocks, followers, roster },
      ...options,
    });
    this.#keys = cache.inFrontOf({
      findKeyBySecretHash: (secretHash) => {
        this.#reads += 1;
        return keys.findKeyBySecretHash(secretHash);
      },
    });
  }

  /** Time passes on both clocks. */
  pass(ms: number): void {
    this.clocks.mono += ms;
    this.clocks.wall += ms;
  }

  /** Passes the time until the next look, and looks. */
  async round(afterMs: number = TIMES.poll): Promise<void> {
    this.pass(afterMs);
    await this.replica.round();
  }

  /** Whether the key was served from the cache. Caches it if it may. */
  async isCached({ secretHash }: NewKey): Promise<boolean> {
    const before = this.#reads;
    await this.#keys.findKeyBySecretHash(secretHash);
    return this.#reads === before;
  }

  /** Whether each of two uses after the first was served from the cache. */
  async caches(key: NewKey): Promise<boolean> {
    await this.isCached(key);
    return this.isCached(key);
  }
}
