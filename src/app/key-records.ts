import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { Clock } from "../domain/vocabulary/clock.ts";
import type { ReportError } from "../domain/vocabulary/report-error.ts";
import { reportClockSkew } from "../observability/metrics/clock-skew.ts";
import { createKeyCacheMetrics } from "../observability/metrics/key-cache.ts";
import type { ConnectedLimiter } from "../store/limits/connected-limiter.ts";
import { createUsageCollector } from "../store/replicas/collect-usage.ts";
import { createFollowers, type Followers } from "../store/replicas/followers.ts";
import type { Invalidation } from "../store/replicas/invalidation.ts";
import { createLease } from "../store/replicas/lease.ts";
import { type ChangeWait, createLeaseInvalidation } from "../store/replicas/lease-invalidation.ts";
import { createRecordCache, type RecordCache } from "../store/replicas/record-cache.ts";
import { startReplica } from "../store/replicas/replica.ts";
import type { ReplicaTable } from "../store/replicas/replica-table.ts";
import { createRoster } from "../store/replicas/roster.ts";
import { type SharedHistory, shareHistory } from "../store/replicas/shared-history.ts";
import { createSoleProcessInvalidation } from "../store/replicas/sole-process.ts";
import { TIMES, type Times } from "../store/replicas/times.ts";
import type { SqlDatabase } from "../store/sql/driver/database.ts";
import { checkRights } from "../store/sql/driver/rights.ts";
import { createReplicaTable } from "../store/sql/replicas/replica-rows.ts";
import { createRestoreChanges } from "../store/sql/replicas/restore-changes.ts";

export interface KeyRecordsContext {
  readonly database: SqlDatabase;
  readonly log: Logger;
  /** Logs a warning of what may happen with every change of a key. */
  readonly warn: ReportError;
  readonly metrics: Registry;
  /** Keeps how far the history of the database goes, for processes without memory. Undefined: there is no Redis. */
  readonly keepHistory: ConnectedLimiter["keepHistory"];
  /** Whether edges may follow. */
  readonly hasEdges: boolean;
  /** For tests. */
  readonly clock?: Clock | undefined;
  /** For tests. Default: those of production. */
  readonly times?: Times | undefined;
}

/** Changes that wait longer are logged, with the replicas that they waited for. */
const LONG_WAIT_MS = 1_000;
/** How long a start waits for the other replicas to look at its server: those that are dead are removed after 6 s. */
const HELD_MS_MAX = 8_000;

/** The records of keys that this process caches, and what keeps them up to date. */
export interface KeyRecords {
  readonly cache: RecordCache;
  readonly invalidation: Invalidation;
  readonly followers: Followers;
  /** The database's clock. */
  readonly clock: Clock;
  /** Call it when another replica announces a change. */
  wake(): void;
  /** Has all replicas store what they have counted of a key; this one by `store`. */
  collectUsage(store: (keyIds: Iterable<string>) => Promise<void>): (keyId: string) => Promise<void>;
  /** After the last request: gives up the lease. Never rejects. */
  close(): Promise<void>;
}

/** Makes this process a replica of its database (ADR 22). An embedded database has no other. */
export async function openKeyRecords(ctx: KeyRecordsContext): Promise<KeyRecords> {
  const { database, log, warn, metrics, keepHistory, hasEdges, times = TIMES } = ctx;
  if (database.kind === "embedded") {
    const cache = createRecordCache();
    createKeyCacheMetrics(metrics, cache, () => true);
    const followers = createFollowers(cache, { leaseLeftMs: () => times.lease });
    return {
      cache,
      invalidation: createSoleProcessInvalidation(followers.cache, hasEdges ? followers : undefined),
      followers,
      clock: () => new Date(),
      wake: () => {},
      collectUsage: (store) => (keyId) => store([keyId]),
      close: () => followers.close(),
    };
  }
  await checkRights(database);
  const lease = createLease(times.lease);
  const cache = createRecordCache({ mayUse: lease.isHeld });
  const table = createReplicaTable(database);
  const roster = createRoster({ table, times });
  const observed = createKeyCacheMetrics(metrics, cache, lease.isHeld);
  const lookedAt = Promise.withResolvers<void>();
  // A change waits for the acknowledgement of what edges have applied. They follow only after the replica has started.
  const followers = createFollowers(cache, { leaseLeftMs: lease.leftMs, onSettled: () => replica.wake() });
  const replica = await startReplica({
    ...{ table, times },
    cache: followers.cache,
    lease,
    history: database.history,
    shared: keepHistory && (await shareOf(table, keepHistory)),
    followers,
    roster,
    restoring: {
      changes: createRestoreChanges(database, ctx.clock),
      onHeld: (isHeld) => {
        if (isHeld) log.warn("no key is served until the other replicas have looked at this server of PostgreSQL");
        else {
          log.info("the other replicas have looked at this server of PostgreSQL, too");
          lookedAt.resolve();
        }
      },
      onFailure: (err) => warn("changes that PostgreSQL lost cannot be made again yet", err),
      onMended(mended) {
        observed.onMended(mended);
        log.warn(mended, "PostgreSQL had lost changes in a failover; rights that they took away are taken away again");
      },
    },
    onRegistered: (replica_id) => log.info({ replica_id }, "registered as a replica"),
    onChange: (works, err) => {
      if (works) log.info("changes of keys are read again: keys are cached");
      else log.warn({ err }, "changes of keys cannot be read: keys are read from PostgreSQL at each request");
    },
  });
  // Until then nothing can be read, and a start reads.
  if (database.history.isHeld) await Promise.race([lookedAt.promise, sleep(HELD_MS_MAX, undefined, { ref: false })]);
  const onWaited = (wait: ChangeWait): void => {
    observed.onWaited(wait);
    if (wait.ms < LONG_WAIT_MS) return;
    const fields = { waited_ms: Math.round(wait.ms), waited_for: wait.waitedFor, replica_ids: wait.behind };
    warn("a change waited long until it was binding on all replicas", undefined, fields);
  };
  reportClockSkew(metrics, replica.clock);
  const wakeOthers = () => database.notify({ kind: "keys" });
  return {
    cache,
    followers,
    invalidation: createLeaseInvalidation({
      ...{ table, roster, replica, times, history: database.history },
      ...{ wakeOthers, onWaited },
    }),
    clock: replica.clock,
    wake: () => replica.wake(),
    collectUsage(store) {
      replica.answerUsage(store);
      return createUsageCollector({ table, roster, replica, wakeOthers, store });
    },
    async close() {
      // Their leases are part of this one's.
      await followers.close();
      await replica.close();
    },
  };
}

/** Undefined: the server does not show which cluster it is a copy of. */
async function shareOf(
  table: ReplicaTable,
  keepHistory: NonNullable<ConnectedLimiter["keepHistory"]>,
): Promise<SharedHistory | undefined> {
  const { system, database } = await table.readName();
  return system === null ? undefined : shareHistory(keepHistory(`${system}:${database}`), system);
}
