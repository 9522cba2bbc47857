import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Invalidation, Subject } from "../../src/store/replicas/invalidation.ts";
import { createLeaseInvalidation, type LeaseInvalidationOptions } from "../../src/store/replicas/lease-invalidation.ts";
import {
  createRecordCache,
  type ReadRecord,
  type RecordCache,
  type RecordCacheOptions,
  type RecordKind,
} from "../../src/store/replicas/record-cache.ts";
import type { ReplicaTable } from "../../src/store/replicas/replica-table.ts";
import { TIMES } from "../../src/store/replicas/times.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { hashOf } from "../../src/store/sql/driver/hash-bytes.ts";

/** The real protocol, and the same with one mistake each, which these tests must find. */
export interface Protocol {
  readonly table: (table: ReplicaTable, database: SqlDatabase) => ReplicaTable;
  readonly cache: (options: RecordCacheOptions) => RecordCache;
  readonly invalidation: (options: InvalidationOptions) => Invalidation;
}

/** Controls may use all of the table. */
type InvalidationOptions = LeaseInvalidationOptions & {
  readonly table: ReplicaTable;
  readonly roster: LeaseInvalidationOptions["roster"];
};

const LEASES: Protocol = {
  table: (table) => table,
  cache: createRecordCache,
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
  /** A read fills the cache although the record has changed since it began. */
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
  const end = async (subject: Subject): Promise<void> => {
    // Whoever has seen what was committed after the change has seen the change.
    const later = await table.insertMark(subject);
    replica.wake();
    wakeOthers();
    await roster.haveSeen(later, performance.now() + times.bound);
    await table.deleteMark(later.markId);
  };
  return {
    async beginChange(subject: Subject) {
      const { markId } = await table.insertMark(subject);
      return { markId, end: () => end(subject), abandon: () => table.deleteMark(markId) };
    },
  };
}

function createUnmarkFirst(options: InvalidationOptions): Invalidation {
  const { table, replica, wakeOthers } = options;
  const marks = new Map<Subject, string>();
  const invalidation = createLeaseInvalidation({
    ...options,
    table: {
      ...table,
      async insertMark(subject) {
        const { markId, transactionId } = await table.insertMark(subject);
        marks.set(subject, markId);
        // Of no record, for the transaction to remove.
        const other = await table.insertMark(randomBytes(32).toString("base64url"));
        return { markId: other.markId, transactionId };
      },
    },
  });
  return {
    async beginChange(subject) {
      const change = await invalidation.beginChange(subject);
      await table.deleteMark(marks.get(subject) ?? "");
      replica.wake();
      wakeOthers();
      await sleep(PAUSE_MS);
      return change;
    },
  };
}

function createCacheWithoutNotes({ mayUse = () => true }: RecordCacheOptions): RecordCache {
  const records = new Map<Subject, object>();
  const marked = new Map<string, Subject>();
  const isMarked = (subject: Subject) => [...marked.values()].includes(subject);
  async function find<Value extends object>(
    _: RecordKind,
    subject: Subject,
    read: ReadRecord<Value>,
  ): Promise<Value | undefined> {
    if (!mayUse() || isMarked(subject)) return read(subject);
    const record = (records.get(subject) as Value | undefined) ?? (await read(subject));
    if (record !== undefined) records.set(subject, record);
    return record;
  }
  return {
    find,
    inFrontOf: (keys) => ({
      findKeyBySecretHash: (hash) => find("key", hash, (subject) => keys.findKeyBySecretHash(subject)),
    }),
    drop: (subject) => void records.delete(subject),
    mark(subject, markId) {
      records.delete(subject);
      marked.set(markId, subject);
    },
    unmark: (_, markId) => void marked.delete(markId),
    isMarked,
    clear: () => records.clear(),
    restrict: () => {},
    usage: { records: 0, bytes: 0, found: 0, read: 0 },
  };
}
