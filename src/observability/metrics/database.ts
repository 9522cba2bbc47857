import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { SqlDatabase } from "../../store/sql/driver/database.ts";

const STATEMENT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The connections to PostgreSQL, and how long its statements take. An embedded database has neither. */
export function reportDatabase(
  metrics: Registry,
  database: Pick<SqlDatabase, "poolUsage" | "history" | "reportAbandoned" | "reportStatements">,
): void {
  if (database.poolUsage().length === 0) return;
  const registers = [metrics];
  new Gauge({
    name: "latchkey_postgres_connections",
    help: "Connections of this process to PostgreSQL, by pool and by whether they are used.",
    labelNames: ["pool", "state"],
    registers,
    collect() {
      for (const { pool, used, idle } of database.poolUsage()) {
        this.set({ pool, state: "used" }, used);
        this.set({ pool, state: "idle" }, idle);
      }
    },
  });
  new Gauge({
    name: "latchkey_postgres_connections_max",
    help: "Maximum number of connections that a pool opens.",
    labelNames: ["pool"],
    registers,
    collect() {
      for (const { pool, max } of database.poolUsage()) this.set({ pool }, max);
    },
  });
  new Gauge({
    name: "latchkey_postgres_pending_requests",
    help: "Callers that wait for a connection of a pool. One that gets none within 3 s fails.",
    labelNames: ["pool"],
    registers,
    collect() {
      for (const { pool, pending } of database.poolUsage()) this.set({ pool }, pending);
    },
  });
  const statements = new Histogram({
    name: "latchkey_postgres_statement_duration_seconds",
    help: "How long statements took, without the wait for a connection, also those that failed.",
    labelNames: ["pool"],
    buckets: STATEMENT_SECONDS,
    registers,
  });
  const abandoned = new Counter({
    name: "latchkey_postgres_abandoned_commits_total",
    help: "Commits that waited for a standby until their callers had given up, and were ended by this process.",
    registers,
  });
  new Counter({
    name: "latchkey_postgres_servers_refused_total",
    help: "Looks at a server of PostgreSQL that lacks acknowledged changes, or was replaced by another one.",
    registers,
    collect() {
      this.reset();
      this.inc(database.history.refused);
    },
  });
  new Gauge({
    name: "latchkey_postgres_timeline",
    help: "The timeline of the PostgreSQL server that was last looked at, which grows with each failover; 0 where it shows none.",
    registers,
    collect() {
      this.set(database.history.timeline ?? 0);
    },
  });
  database.reportAbandoned((commits) => abandoned.inc(commits));
  database.reportStatements((pool, ms) => statements.observe({ pool }, ms / 1_000));
}
