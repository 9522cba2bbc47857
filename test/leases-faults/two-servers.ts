import pg from "pg";
import { expect } from "vitest";
import { type CuttableProxy, startProxy } from "../servers/cuttable-proxy.ts";
import { type OwnPostgres, type Standby, startOwnPostgres, withPort } from "../servers/postgres.ts";

const TIMEOUT_MS = 20_000;

/** A PostgreSQL server and its standby, behind an address that leads to the one or the other. */
export interface TwoServers {
  readonly primary: OwnPostgres;
  readonly standby: Standby;
  /** Leads to the primary at first. */
  readonly address: CuttableProxy;
  /** The database `postgres` at that address. */
  readonly url: string;
  /** Between the servers. */
  readonly link: CuttableProxy;
  /** Has each commit on the primary wait for the standby. */
  makeSynchronous(): Promise<void>;
  /** Resolves when the standby has all that the primary has committed. */
  awaitReplay(): Promise<void>;
  /** Ends the primary at once, promotes the standby, and has the address lead to it. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

/** `settings`: more settings of the primary. */
export async function startTwoServers(settings?: Readonly<Record<string, string>>): Promise<TwoServers> {
  const primary = await startOwnPostgres(undefined, settings);
  const [address, link] = await Promise.all([startProxy(primary.port), startProxy(primary.port)]);
  const standby = await primary.startStandby(link.port);
  return {
    primary,
    standby,
    address,
    url: withPort(primary.url, address.port),
    link,
    async makeSynchronous() {
      await onServer(primary.url, "alter system set synchronous_standby_names = '*'", "select pg_reload_conf()");
      const state = async () => (await onServer(primary.url, "select sync_state from pg_stat_replication"))[0];
      await expect.poll(state, { timeout: TIMEOUT_MS }).toEqual({ sync_state: "sync" });
    },
    async awaitReplay() {
      const [row] = await onServer(primary.url, "select pg_current_wal_flush_lsn()::text as lsn");
      const replayed = `select pg_last_wal_replay_lsn() >= '${row?.lsn}' as done`;
      const isReplayed = async () => (await onServer(standby.url, replayed))[0];
      await expect.poll(isReplayed, { timeout: TIMEOUT_MS }).toEqual({ done: true });
    },
    async failOver() {
      await primary.crash();
      await standby.promote();
      address.redirect(standby.port);
    },
    stop: async () => void (await Promise.all([primary, standby, address, link].map((each) => each.stop()))),
  };
}

/** Runs statements, and returns the rows of the last one. */
export async function onServer(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}
