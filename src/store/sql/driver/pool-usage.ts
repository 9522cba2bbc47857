import pg from "pg";

/** The pools of a process: for requests, for lists, and for the list of replicas. */
export type PoolName = "requests" | "lists" | "control";

/** Receives how long a statement took, in ms, also of one that failed. The wait for a connection is not part of it. */
export type OnStatement = (pool: PoolName, ms: number) => void;

export interface PoolUsage {
  readonly pool: PoolName;
  /** Maximum number of connections that it opens. */
  readonly max: number;
  readonly used: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly pending: number;
}

export function usageOf(name: PoolName, pool: pg.Pool): PoolUsage {
  const { totalCount, idleCount, waitingCount, options } = pool;
  return { pool: name, max: options.max, used: totalCount - idleCount, idle: idleCount, pending: waitingCount };
}

/**
 * Measures each statement of a connection, those that begin and commit transactions included: the commit is where a slow
 * disk shows. `query` is wrapped because the driver reports nothing, and has a form with a promise and one with a callback.
 */
export function timeStatements(client: pg.ClientBase, onMs: (ms: number) => void): void {
  const timed = (...args: readonly unknown[]): unknown => {
    const startedAt = performance.now();
    const done = (): void => onMs(performance.now() - startedAt);
    const callback = args.at(-1);
    if (typeof callback === "function") {
      const answered = (...outcome: readonly unknown[]): void => {
        done();
        callback(...outcome);
      };
      return Reflect.apply(pg.Client.prototype.query, client, [...args.slice(0, -1), answered]);
    }
    const result: unknown = Reflect.apply(pg.Client.prototype.query, client, args);
    if (result instanceof Promise) result.then(done, done);
    return result;
  };
  Object.defineProperty(client, "query", { value: timed });
}
