import type { KeyStore } from "../../domain/keys/key-store.ts";

type KeyReads = Pick<KeyStore, "findKeyBySecretHash">;

interface PendingReads<Found> {
  /** The read under way. */
  current: Promise<Found>;
  /** Begins when `current` ends; shared by all callers that arrived after `current` began. */
  next: Promise<Found> | undefined;
}

/**
 * A caller that has waited longer than this for a read that fails gets its error, instead of waiting for another read.
 */
const RETRY_WITHIN_MS = 500;

/** Look-ups of keys that share reads. */
export function createSharedReads(keys: KeyReads, monotonicMs?: () => number): KeyReads {
  return { findKeyBySecretHash: shareReads(async (secretHash) => keys.findKeyBySecretHash(secretHash), monotonicMs) };
}

/**
 * Lets concurrent look-ups of one record share a read: a thousand requests with a key that is not cached would otherwise
 * queue for database connections.
 *
 * A caller never gets the result of a read that began before its call, because a change may have been acknowledged in
 * between. A call that arrives during a read waits for the next read, together with all others that do.
 */
export function shareReads<Found>(
  read: (id: string) => Promise<Found>,
  monotonicMs: () => number = () => performance.now(),
): (id: string) => Promise<Found> {
  const pending = new Map<string, PendingReads<Found>>();

  function begin(id: string): Promise<Found> {
    const reading = read(id);
    const finish = (): void => {
      const reads = pending.get(id);
      if (reads?.current === reading && reads.next === undefined) pending.delete(id);
    };
    reading.then(finish, finish);
    return reading;
  }

  return (id) => {
    const reads = pending.get(id);
    if (reads === undefined) {
      const current = begin(id);
      pending.set(id, { current, next: undefined });
      return current;
    }
    if (reads.next === undefined) {
      const start = (): Promise<Found> => {
        reads.current = begin(id);
        reads.next = undefined;
        return reads.current;
      };
      const calledMs = monotonicMs();
      // An error may be older than the call that gets it, since it is not a stale record. After a slow failure, as of
      // a frozen database, the caller gets that error: a second read would take its whole time limit, too.
      reads.next = reads.current.then(start, (err: unknown) => {
        if (monotonicMs() - calledMs < RETRY_WITHIN_MS) return start();
        pending.delete(id);
        throw err;
      });
    }
    return reads.next;
  };
}
