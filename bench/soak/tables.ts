import type { Client } from "pg";
import { markdownTable } from "../table.ts";
import type { Finding } from "./bounds.ts";
import type { SoakRecord, TableSize } from "./record.ts";

/** How the database grows: rows, dead rows and bytes of every table. */

const MIB = 1_048_576;
const HOUR_S = 3_600;
/** Of a table that no run fills. */
const FEW_ROWS = 100;
/** A row with its entries in all indexes. */
const ROW_BYTES_MAX = 3_000;
/** What a table takes beyond its rows: room that updates leave, and pages that are added before they are full. */
const SLACK_BYTES = 32 * MIB;
/** Autovacuum comes each minute to tables of which a fifth is dead, and 50 rows more: its default. */
const VACUUM_SHARE = 0.2;
const VACUUM_ROWS = 50;
/** Our migrations have it come to these at 1,000 dead rows. */
const OFTEN_CHANGED: ReadonlySet<string> = new Set(["deployment_redis", "key_marks", "replicas", "usage_questions"]);
const OFTEN_CHANGED_ROWS = 1_000;
/** A minute until it comes, and one in which it works. */
const VACUUM_SECONDS = 120;

/** What explains the rows of the tables that a run fills. */
interface Filling {
  readonly keys: number;
  /** With those before the run, as of all of these. */
  readonly changes: number;
  /** In the change log before the run. */
  readonly listed: number;
  readonly tokens: number;
  readonly seconds: number;
  readonly replicas: number;
  /** That the edge has answered. */
  readonly edgeRequests: number;
}

/** Of each replica, and of one of its recorders: each is a batch, which is remembered for a day. There is at most one a second. */
const flushes = ({ replicas, seconds }: Filling) => replicas * (seconds + 60);
const keys = ({ keys }: Filling) => keys;

const ROWS_MAX: Readonly<Record<string, (filling: Filling) => number>> = {
  access_tokens: ({ tokens }) => tokens,
  api_keys: keys,
  audit_events: ({ changes }) => changes,
  key_changes: ({ listed, changes }) => listed + changes,
  key_usage: keys,
  // By the hour of the clock and the outcome, of which most keys have one.
  key_usage_hours: ({ keys, seconds }) => 2 * keys * (Math.floor(seconds / HOUR_S) + 2),
  // One for each change that callers were promised, of the last day.
  promised_changes: ({ listed, changes }) => listed + changes,
  // 200 of a tenant in each flush.
  recent_requests: (filling) => 200 * flushes(filling),
  // An edge's reports, and each batch of recent requests.
  used_once: (filling) => 2 * filling.seconds + filling.edgeRequests / 100 + 500 + flushes(filling),
  // Of the counters of keys and of recent requests.
  usage_batches: (filling) => 2 * flushes(filling),
};

type Sizes = Readonly<Record<string, TableSize>>;

export async function tableSizesOf(database: Client): Promise<Sizes> {
  const { rows } = await database.query<TableSize & { name: string }>(`
    select relname as name, n_dead_tup::int as "deadRows", (n_tup_upd + n_tup_del)::int as changes,
      pg_total_relation_size(relid)::float8 as bytes
    from pg_stat_user_tables where schemaname = current_schema() order by relname`);
  const sizes: Record<string, TableSize> = {};
  for (const { name, ...size } of rows) {
    const counted = await database.query(`select count(*)::int as rows from "${name}"`);
    sizes[name] = { ...size, rows: counted.rows[0].rows };
  }
  return sizes;
}

/** Nothing of a run in which the tables were not measured. */
export function tableFindingsOf(record: SoakRecord): Finding[] {
  const last = record.samples.at(-1);
  if (last?.tables === undefined) return [];
  const sizes = Object.entries(last.tables);
  return [
    none("tables with more rows than the run explains", sizes.filter(isOverfull(record))),
    none("tables with more dead rows than autovacuum leaves", sizes.filter(isUnvacuumed(record))),
    none("tables that grew by more than their rows", sizes.filter(isBloated(record))),
  ];
}

type Test = (record: SoakRecord) => (entry: readonly [name: string, size: TableSize]) => boolean;

const isOverfull: Test = (record) => {
  const filling = fillingOf(record);
  return ([name, { rows }]) => rows > (ROWS_MAX[name]?.(filling) ?? FEW_ROWS);
};

function fillingOf({ samples, changes, tokens = 0, seconds }: SoakRecord): Filling {
  const [first, last] = [samples[0]?.tables, samples.at(-1)];
  const { created, updated, rotated, revoked, derived = 0 } = changes;
  return {
    keys: (first?.api_keys?.rows ?? 0) + created + rotated,
    changes: (first?.audit_events?.rows ?? 0) + created + updated + rotated + revoked + derived,
    listed: first?.key_changes?.rows ?? 0,
    tokens: tokens + derived,
    seconds,
    replicas: last?.replicas.length ?? 0,
    edgeRequests: last?.edge?.requests ?? 0,
  };
}

const isUnvacuumed: Test = ({ samples }) => {
  const [before, last] = samples.slice(-2);
  const seconds = (last?.seconds ?? Number.NaN) - (before?.seconds ?? Number.NaN);
  return ([name, { rows, deadRows, changes }]) => {
    const changesOfStep = changes - (before?.tables?.[name]?.changes ?? 0);
    const kept = OFTEN_CHANGED.has(name) ? OFTEN_CHANGED_ROWS : VACUUM_ROWS + VACUUM_SHARE * rows;
    return !(deadRows <= kept + (VACUUM_SECONDS / seconds) * changesOfStep);
  };
};

/** Since the first sample. */
const isBloated: Test = ({ samples }) => {
  const first = samples[0]?.tables;
  return ([name, { rows, bytes }]) => {
    const before = first?.[name] ?? { rows: 0, bytes: 0 };
    return bytes - before.bytes > SLACK_BYTES + ROW_BYTES_MAX * Math.max(0, rows - before.rows);
  };
};

function none(what: string, found: readonly (readonly [name: string, size: TableSize])[]): Finding {
  const names = found.map(([name]) => name).join(", ");
  return { what, found: names || "0", bound: "0", holds: names === "" };
}

/** Those that the run filled, with their growth. Empty for a run in which they were not measured. */
export function tablesOf({ samples }: SoakRecord): string {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first?.tables === undefined || last?.tables === undefined) return "";
  const millions = (last.requests - first.requests) / 1_000_000;
  const before: Sizes = first.tables;
  const rows = Object.entries(last.tables).flatMap(([name, { rows, deadRows, bytes }]) => {
    if (rows <= FEW_ROWS && bytes < MIB) return [];
    const grown = { rows: rows - (before[name]?.rows ?? 0), bytes: bytes - (before[name]?.bytes ?? 0) };
    const mib = (value: number) => (value / MIB).toFixed(1);
    const sizes = [whole(rows), whole(deadRows), mib(bytes)];
    return [[name, ...sizes, whole(grown.rows / millions), mib(grown.bytes / millions)]];
  });
  return markdownTable(["table", "rows", "dead rows", "MiB", "rows per million requests", "MiB per million"], rows);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
