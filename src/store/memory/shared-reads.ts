import type { KeyRecord, SecretHash } from "../../domain/keys/key.ts";
import type { KeyStore } from "../../domain/ports.ts";

type Reads = Pick<KeyStore, "findKeyBySecretHash">;
type Found = Promise<KeyRecord | undefined>;

interface Flight {
  /** Under way. */
  current: Found;
  /** Begins when `current` ends; for all who came since that began. */
  next: Found | undefined;
}

/**
 * Lets those who look up one key at the same time share a read: a thousand requests with a cold key would otherwise wait
 * in line for a database connection.
 *
 * Nobody is given a read that began before their request, since a change may have been acknowledged in between. So who
 * comes during a read waits for the next one, together with all others who do.
 */
export function createSharedReads(keys: Reads): Reads {
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
        flight.next = flight.current.then(start, start);
      }
      return flight.next;
    },
  };
}
