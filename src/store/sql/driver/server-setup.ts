import type pg from "pg";

/** How the server of `DATABASE_URL` is set up, as far as the role may see. */
export interface ServerSetup {
  /** How many hosts `DATABASE_URL` lists. */
  readonly hosts: number;
  /** The `synchronous_commit` that our sessions replace by `on`. Undefined: theirs is as strong. */
  readonly replacedCommits: string | undefined;
  /** The provider, whose standbys PostgreSQL does not show. Null: none is recognized. */
  readonly managedBy: string | null;
  /** `synchronous_standby_names`. */
  readonly standbyNames: string;
  /** Standbys that are connected. */
  readonly standbys: number;
  /** How many of them confirm commits. Null: the role may not see it. */
  readonly confirming: number | null;
  /** How many connections the server has for the role. */
  readonly connectionsMax: number;
  /** Whether a pooler is in between, which shares these. */
  readonly isPooled: boolean;
  /** Replicas of the service that are in their list, each worker being one. */
  readonly replicas: number;
}

/** Providers are recognized by roles that only their services have. */
const SETUP = `
  select
    (select provider from (values ('rds_superuser', 'Amazon RDS'), ('cloudsqlsuperuser', 'Cloud SQL'),
        ('alloydbsuperuser', 'AlloyDB'), ('azure_pg_admin', 'Azure'), ('neon_superuser', 'Neon'))
        as known (name, provider)
      join pg_roles on rolname = name limit 1) as "managedBy",
    current_setting('synchronous_standby_names') as "standbyNames",
    (select cast(count(*) as integer) from pg_stat_replication) as standbys,
    case when pg_has_role('pg_monitor', 'usage') then
      (select cast(count(*) as integer) from pg_stat_replication where sync_state in ('sync', 'quorum'))
    end as confirming,
    least(
      cast(current_setting('max_connections') as integer)
        - cast(current_setting('superuser_reserved_connections') as integer)
        - coalesce(cast(nullif(current_setting('reserved_connections', true), '') as integer), 0),
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
    ) as "connectionsMax",
    pg_backend_pid() as pid,
    (select cast(count(*) as integer) from replicas) as replicas`;

type Row = Omit<ServerSetup, "hosts" | "replacedCommits" | "isPooled"> & { readonly pid: number };

/** Reads it, on a database that has the tables of the service. */
export async function readServerSetup(
  pool: pg.Pool,
  known: Pick<ServerSetup, "hosts" | "replacedCommits">,
): Promise<ServerSetup | undefined> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<Row>(SETUP);
    const [row] = rows;
    if (row === undefined) return undefined;
    const { pid, ...rest } = row;
    return { ...known, ...rest, isPooled: pid !== processIdOf(client) };
  } finally {
    client.release();
  }
}

/** The driver has the id that the server, or the pooler, gave at the start of the session; its types do not. */
export function processIdOf(client: pg.ClientBase): unknown {
  return "processID" in client ? client.processID : undefined;
}
