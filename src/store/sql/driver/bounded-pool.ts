import type { PostgresPool } from "kysely";
import type pg from "pg";
import { CONNECT_TIMEOUT_MS, QUEUE_TIMEOUT } from "./sql-errors.ts";

/**
 * A view of a pool that has at most `max` of its connections at once. Statements that may hold a connection for long, such as commits
 * that wait for a standby, then leave the others to statements that may not wait for them. A caller waits for its place for as long as
 * the pool would let it wait for a connection.
 */
export function boundPool(pool: pg.Pool, max: number): PostgresPool & { readonly waiting: number } {
  const waiting = new Set<() => void>();
  let free = max;

  /** Hands the place over directly, so that no later caller gets ahead. */
  function giveBack(): void {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else next();
  }

  function takePlace(): Promise<void> | undefined {
    if (free > 0) {
      free -= 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const next = (): void => {
        clearTimeout(timer);
        waiting.delete(next);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(next);
        reject(new Error(QUEUE_TIMEOUT));
      }, CONNECT_TIMEOUT_MS);
      waiting.add(next);
    });
  }

  function open(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      pool.connect((err, client, release) => {
        if (client === undefined) {
          giveBack();
          return reject(err);
        }
        // The pool sets it again for each use of the connection.
        client.release = (failed) => {
          release(failed);
          giveBack();
        };
        resolve(client);
      });
    });
  }

  return {
    connect: () => {
      const place = takePlace();
      return place === undefined ? open() : place.then(open);
    },
    // The pool is ended by its owner, once.
    end: async () => undefined,
    options: pool.options,
    get waiting() {
      return waiting.size;
    },
  };
}
