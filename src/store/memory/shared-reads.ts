import type { KeyRecord, SecretHash } from "../../domain/keys/key.ts";
import type { KeyStore } from "../../domain/ports/keys.ts";

type Reads = Pick<KeyStore, "findKeyBySecretHash">;
type Found = Promise<KeyRecord | undefined>;

interface Flight {
  /** Under way. */
  current: Found;
  /** Begins when `current` ends; for all who came since that began. */
  next: Found | undefined;
}

/** Who has waited longer than this for a read that fails is told so, and not made to wait for another one. */
const PATIENCE_MS = 500;

/**
 * Lets those who look up one key at the same time share a read: a thousand requests with a cold key would otherwise wait
 * in line for a database connection.
 *
 * Nobody is given a read that began before their request, since a change may have been acknowledged in between. So who
 * comes during a read waits for the next one, together with all others who do.
 */
export function createSharedReads(keys: Reads, monotonicMs: () => number = () => performance.now()): Reads {
  const flights = new Map<SecretHash, Flight>();

  function begin(secretHash: SecretHash): Found {
    const reading = keys.findKeyBySecretHash(secretHash);
    const land = (): void => {
      const flight = flights.get(secretHash);
      if (flight?.current === reading && flight.next === undefined) flights.delete(secretHash);
    };
    reading.then(land, land);
    return reading;
  }

  return {
    findKeyBySecretHash(secretHash) {
      const flight = flights.get(secretHash);
      if (flight === undefined) {
        const current = begin(secretHash);
        flights.set(secretHash, { current, next: undefined });
        return current;
      }
      if (flight.next === undefined) {
        const start = (): Found => {
          flight.current = begin(secretHash);
          flight.next = undefined;
          return flight.current;
        };
        const askedMs = monotonicMs();
        // A failure is no stale answer, and a frozen database would cost the second read its whole time limit again.
        flight.next = flight.current.then(start, (err: unknown) => {
          if (monotonicMs() - askedMs < PATIENCE_MS) return start();
          flights.delete(secretHash);
          throw err;
        });
      }
      return flight.next;
    },
  };
}
