import { expect } from "vitest";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";

export interface Key {
  readonly key_id: string;
  readonly key: string;
}

/** Two processes of the service and what a test asks of them. */
export interface Pair {
  readonly fleet: Fleet;
  readonly replicas: readonly [Replica, Replica];
  createKeys(count: number): Promise<Key[]>;
  /** Returns 200, 401, or another status if the key cannot be checked. */
  verify(replica: Replica, key: Key): Promise<number>;
  /** On each replica. */
  verifyOnBoth(key: Key): Promise<number[]>;
  /** Whether the revocation was acknowledged. */
  revoke(replica: Replica, key: Key): Promise<boolean>;
  /** 1 for each replica that has a lease, 0 for each that has none. */
  leases(): Promise<number[]>;
  close(): Promise<void>;
}

export async function startPair(serverUrl: string): Promise<Pair> {
  const fleet = await startFleet("", serverUrl);
  const replicas = await Promise.all([fleet.start(), fleet.start()]);
  const verify = async (replica: Replica, { key }: Key) =>
    (await replica.call("/api/v1/auth/verify", {}, { "x-api-key": key })).status;
  return {
    fleet,
    replicas,
    createKeys: (count) => Promise.all(Array.from({ length: count }, () => fleet.createKey(replicas[0]))),
    verify,
    verifyOnBoth: (key) => Promise.all(replicas.map((replica) => verify(replica, key))),
    async revoke(replica, { key_id }) {
      const answer = await replica.call("/api/v1/api-keys/revoke", { key_id }, await fleet.dashboard());
      return answer.status === 200;
    },
    leases: () => Promise.all(replicas.map((replica) => readMetric(replica, "key_lease_held"))),
    close: fleet.close,
  };
}

export async function readMetric(replica: Replica, name: string): Promise<number> {
  const metrics = await (await fetch(`${replica.url}/metrics`)).text();
  const value = new RegExp(`^latchkey_${name} (\\S+)$`, "m").exec(metrics)?.[1];
  expect(value).toBeDefined();
  return Number(value);
}
