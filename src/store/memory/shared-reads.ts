import type { KeyRecord, SecretHash } from "../../domain/keys/key.ts";
import type { KeyStore } from "../../domain/ports/keys.ts";

type Reads = Pick<KeyStore, "findKeyBySecretHash">;
type Found = Promise<KeyRecord | undefined>;

interface PendingReads {
  /** The read under way. */
  current: Found;
  /** Begins when `current` ends; shared by all callers that arrived after `current` began. */
  next: Found | undefined;
}

/**
 * A caller that has waited longer than this for a read that fails gets its error, instead of waiting for another read.
 */
const RETRY_WITHIN_MS = 500;

/**
 * Lets concurrent look-ups of one key share a read: a thousand requests with a key that is not cached would otherwise
 * queue for database connections.
 *
 * A caller never gets the result of a read that began before its call, because a change may have been acknowledged in
 * between. A call that arrives during a read waits for the next read, together with all others that do.
 */
export function createSharedReads(keys: Reads, monotonicMs: () => number = () => performance.now()): Reads {
  const pending = new Map<SecretHash, PendingReads>();

  function begin(secretHash: SecretHash): Found {
    const reading = keys.findKeyBySecretHash(secretHash);
    const finish = (): void => {
      const reads = pending.get(secretHash);
      if (reads?.current === reading && reads.next === undefined) pending.delete(secretHash);
    };
    reading.then(finish, finish);
    return reading;
  }

  return {
    findKeyBySecretHash(secretHash) {
      const reads = pending.get(secretHash);
      if (reads === undefined) {
        const current = begin(secretHash);
        pending.set(secretHash, { current, next: undefined });
        return current;
      }
      if (reads.next === undefined) {
        const start = (): Found => {
          reads.current = begin(secretHash);
          reads.next = undefined;
          return reads.current;
        };
        const calledMs = monotonicMs();
        // An error may be older than the call that gets it, since it is not a stale record. After a slow failure, as of
        // a frozen database, the caller gets that error: a second read would take its whole time limit, too.
        reads.next = reads.current.then(start, (err: unknown) => {
          if (monotonicMs() - calledMs < RETRY_WITHIN_MS) return start();
          pending.delete(secretHash);
          throw err;
        });
      }
      return reads.next;
    },
  };
}
