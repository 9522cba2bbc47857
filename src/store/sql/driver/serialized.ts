import { Semaphore } from "../../../concurrency/semaphore.ts";

/** Runs work of one name one after the other, in the order of the calls. Work of other names does not wait for it. */
export type Serialize = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * For work that waits for a lock in the database: one connection waits for it instead of all, which other work needs. The lock
 * itself is still needed, for other processes.
 */
export function createSerialize(): Serialize {
  const turns = new Map<string, Semaphore>();
  return async (name, work) => {
    const turn = turns.get(name) ?? new Semaphore(1);
    turns.set(name, turn);
    try {
      return await turn.take(work);
    } finally {
      if (turn.isIdle) turns.delete(name);
    }
  };
}
