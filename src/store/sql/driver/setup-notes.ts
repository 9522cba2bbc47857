import type { ServerSetup } from "./server-setup.ts";

/** What an operator should know of a server that works, in a sentence. A warning is something to change or to acknowledge. */
export interface SetupNote {
  readonly level: "ok" | "warning";
  readonly text: string;
}

export interface SetupExpectation {
  readonly poolSize: number;
  /** Whether the operator says that there is one server, without standbys. */
  readonly isSingle: boolean;
}

/** Connections of a process that are not in its pool: two for lists, two for the list of changes, one that listens. */
const BESIDE_POOL = 5;

export function* setupNotes(setup: ServerSetup, expected: SetupExpectation): Generator<SetupNote> {
  const { hosts, replacedCommits } = setup;
  if (hosts > 1) yield ok(`DATABASE_URL lists ${hosts} hosts: the service follows the primary among them`);
  if (replacedCommits !== undefined)
    yield ok(`synchronous_commit is ${replacedCommits} at the server, and on in the sessions of the service`);
  yield* standbyNotes(setup, expected);
  yield* connectionNotes(setup, expected);
}

function* standbyNotes(setup: ServerSetup, { isSingle }: SetupExpectation): Generator<SetupNote> {
  const { managedBy, standbyNames, standbys, confirming, replicas } = setup;
  if (standbyNames === "") {
    if (managedBy !== null) yield ok(`synchronous standby: unknown (managed, ${managedBy})`);
    else if (replicas > 1 && !isSingle) yield warning(withoutStandby(replicas, standbys));
  } else if (standbys === 0 || confirming === 0)
    yield warning(
      `no standby confirms commits, and synchronous_standby_names is "${standbyNames}": changes wait, and are answered 503`,
    );
  else if (confirming === null)
    yield ok(
      `synchronous_standby_names is "${standbyNames}", and standbys are connected; only a member of pg_monitor sees whether they confirm`,
    );
  else yield ok(`synchronous standbys: ${confirming}`);
}

function withoutStandby(replicas: number, standbys: number): string {
  const asynchronous = standbys === 0 ? "" : `, and the standbys that are connected (${standbys}) are asynchronous`;
  return (
    `synchronous_standby_names is empty${asynchronous}: a failover of PostgreSQL loses acknowledged changes, revocations too, for ` +
    `${replicas} replicas. Name a synchronous standby, or set SINGLE_POSTGRES=true if this server has none and never fails over`
  );
}

function* connectionNotes(setup: ServerSetup, { poolSize }: SetupExpectation): Generator<SetupNote> {
  const { connectionsMax, isPooled, replicas } = setup;
  const each = poolSize + BESIDE_POOL;
  const needed = Math.max(replicas, 1) * each;
  // A pooler shares the connections of the server.
  if (isPooled || needed <= connectionsMax) return;
  yield warning(
    `the server has ${connectionsMax} connections for this role, and the service may open ${needed}: ${each} in each process ` +
      `(DATABASE_POOL_SIZE + ${BESIDE_POOL}). Raise max_connections, or lower DATABASE_POOL_SIZE`,
  );
}

const ok = (text: string): SetupNote => ({ level: "ok", text });
const warning = (text: string): SetupNote => ({ level: "warning", text });
