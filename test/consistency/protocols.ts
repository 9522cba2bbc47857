import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { KeyRecord, SecretHash } from "../../src/domain/keys/key.ts";
import { hashSecret } from "../../src/domain/keys/secret.ts";
import type { KeyInvalidation } from "../../src/store/key-invalidation.ts";
import { createLeaseInvalidation, type LeaseInvalidationOptions } from "../../src/store/leases/lease-invalidation.ts";
import type { ReplicaTable } from "../../src/store/leases/replica-table.ts";
import { TIMES } from "../../src/store/leases/times.ts";
import { createKeyCache, type KeyCache, type KeyCacheOptions } from "../../src/store/memory/key-cache.ts";
import type { SqlDatabase } from "../../src/store/sql/database.ts";
import { hashOf } from "../../src/store/sql/key-rows.ts";

/** The real protocol, and the same with one mistake each, which these tests must find. */
export interface Protocol {
  readonly table: (table: ReplicaTable, database: SqlDatabase) => ReplicaTable;
  readonly cache: (options: KeyCacheOptions) => KeyCache;
  readonly invalidation: (options: InvalidationOptions) => KeyInvalidation;
}

/** Controls may use all of the table. */
type InvalidationOptions = LeaseInvalidationOptions & {
  readonly table: ReplicaTable;
  readonly roster: LeaseInvalidationOptions["roster"];
};

const LEASES: Protocol = {
  table: (table) => table,
  cache: createKeyCache,
  invalidation: createLeaseInvalidation,
};

/** Longer than a change and the time between two looks, so that a mistake shows each time. */
const PAUSE_MS = 400;

export const PROTOCOLS = {
  leases: LEASES,
  /** Nobody waits for the others. */
  nobodyWaits: { ...LEASES, table: (table) => ({ ...table, readReplicas: async () => [] }) },
  /** A replica acknowledges a look before it has applied it. */
  acknowledgesFirst: { ...LEASES, table: acknowledgingFirst },
  /** A read fills the cache although the key has changed since it began. */
  fillsWithoutNote: { ...LEASES, cache: createCacheWithoutNotes },
  /** The list is read from the last number on. */
  listBySequence: { ...LEASES, table: lookingBySequence },
  /** No replica sees a mark; changes wait for all replicas after the commit. */
  commitFirst: { ...LEASES, table: withoutMarks, invalidation: createCommitFirst },
  /** The mark is removed before the transaction of the change, instead of in it. */
  unmarksFirst: { ...LEASES, invalidation: createUnmarkFirst },
} satisfies Record<string, Protocol>;

export type ProtocolName = keyof typeof PROTOCOLS;

function acknowledgingFirst(table: ReplicaTable): ReplicaTable {
  return {
    ...table,
    async look(replicaId, since) {
      const look = await table.look(replicaId, since);
      await table.acknowledge(replicaId, look);
      await sleep(PAUSE_MS);
      return look;
    },
  };
}

function lookingBySequence(table: ReplicaTable, { control }: SqlDatabase): ReplicaTable {
  let last = 0;
  return {
    ...table,
    async look(replicaId, since) {
      const look = await table.look(replicaId, since);
      const { rows } = await sql<{ seq: number; hash: Buffer }>`
        select seq, secret_hash as hash from key_changes where seq > ${last} order by seq`.execute(control);
      last = rows.at(-1)?.seq ?? last;
      return { ...look, changed: rows.map(({ hash }) => hashOf(hash)) };
    },
  };
}

function withoutMarks(table: ReplicaTable): ReplicaTable {
  return {
    ...table,
    look: async (replicaId, since) => ({ ...(await table.look(replicaId, since)), marks: new Map() }),
  };
}

function createCommitFirst({ table, roster, replica, wakeOthers, times = TIMES }: InvalidationOptions) {
  const end = async (secretHash: SecretHash): Promise<void> => {
    // Whoever has seen what was committed after the change has seen the change.
    const later = await table.insertMark(secretHash);
    replica.wake();
    wakeOthers();
    await roster.haveSeen(later.transactionId, performance.now() + times.bound);
    await table.deleteMark(later.markId);
  };
  return {
    async beginChange(secretHash: SecretHash) {
      const { markId } = await table.insertMark(secretHash);
      return { markId, end: () => end(secretHash), abandon: () => table.deleteMark(markId) };
    },
  };
}

function createUnmarkFirst(options: InvalidationOptions): KeyInvalidation {
  const { table, replica, wakeOthers } = options;
  const marks = new Map<SecretHash, string>();
  const invalidation = createLeaseInvalidation({
    ...options,
    table: {
      ...table,
      async insertMark(secretHash) {
        const { markId, transactionId } = await table.insertMark(secretHash);
        marks.set(secretHash, markId);
        // Of no key, for the transaction to remove.
        const other = await table.insertMark(hashSecret(randomBytes(16).toString("hex")));
        return { markId: other.markId, transactionId };
      },
    },
  });
  return {
    async beginChange(secretHash) {
      const change = await invalidation.beginChange(secretHash);
      await table.deleteMark(marks.get(secretHash) ?? "");
      replica.wake();
      wakeOthers();
      await sleep(PAUSE_MS);
      return change;
    },
  };
}

function createCacheWithoutNotes({ mayUse = () => true }: KeyCacheOptions): KeyCache {
  const records = new Map<SecretHash, KeyRecord>();
  const marked = new Map<string, SecretHash>();
  const isMarked = (secretHash: SecretHash) => [...marked.values()].includes(secretHash);
  return {
    inFrontOf: (keys) => ({
      async findKeyBySecretHash(secretHash) {
        if (!mayUse() || isMarked(secretHash)) return keys.findKeyBySecretHash(secretHash);
        const record = records.get(secretHash) ?? (await keys.findKeyBySecretHash(secretHash));
        if (record !== undefined) records.set(secretHash, record);
        return record;
      },
    }),
    drop: (secretHash) => void records.delete(secretHash),
    mark(secretHash, markId) {
      records.delete(secretHash);
      marked.set(markId, secretHash);
    },
    unmark: (_, markId) => void marked.delete(markId),
    clear: () => records.clear(),
    usage: { records: 0, bytes: 0 },
  };
}
