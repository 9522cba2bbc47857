import type { PostgresPool } from "kysely";
import type pg from "pg";
import { Semaphore } from "../../../concurrency/semaphore.ts";
import { CONNECT_TIMEOUT_MS, QUEUE_TIMEOUT } from "./sql-errors.ts";

/**
 * A view of a pool that has at most `max` of its connections at once. Statements that may hold a connection for long, such as commits
 * that wait for a standby, then leave the others to statements that may not wait for them. A caller waits for its place for as long as
 * the pool would let it wait for a connection.
 */
export function boundPool(pool: pg.Pool, max: number): PostgresPool & { readonly waiting: number } {
  const places = new Semaphore(max);

  function takePlace(): Promise<void> | undefined {
    if (places.isFree) return places.enter();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(QUEUE_TIMEOUT)), CONNECT_TIMEOUT_MS);
    return places.enter(late.signal)?.finally(() => clearTimeout(timer));
  }

  function open(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      pool.connect((err, client, release) => {
        if (client === undefined) {
          places.leave();
          return reject(err);
        }
        // The pool sets it again for each use of the connection.
        client.release = (failed) => {
          release(failed);
          places.leave();
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
      return places.waiting;
    },
  };
}
