import type { KeyRecord } from "../../domain/keys/key.ts";
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
  const flights = new Map<string, Flight>();

  function begin(id: string, secretHash: Uint8Array): Found {
    const reading = keys.findKeyBySecretHash(secretHash);
    const land = (): void => {
      const flight = flights.get(id);
      if (flight?.current === reading && flight.next === undefined) flights.delete(id);
    };
    reading.then(land, land);
    return reading;
  }

  return {
    findKeyBySecretHash(secretHash) {
      const id = Buffer.from(secretHash).toString("base64url");
      const flight = flights.get(id);
      if (flight === undefined) {
        const current = begin(id, secretHash);
        flights.set(id, { current, next: undefined });
        return current;
      }
      if (flight.next === undefined) {
        const start = (): Found => {
          flight.current = begin(id, secretHash);
          flight.next = undefined;
          return flight.current;
        };
        flight.next = flight.current.then(start, start);
      }
      return flight.next;
    },
  };
}
