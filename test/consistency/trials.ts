import { setTimeout as sleep } from "node:timers/promises";
import type { KeyStore } from "../../src/domain/ports/keys.ts";
import { newKey } from "../store/records.ts";
import { joined, monotonicMs } from "./observations.ts";
import type { Verifier } from "./stores.ts";

/** In how many trials a revoked key was accepted too late. */
export interface Found {
  /** Accepted by a verification that began after the revocation was acknowledged. */
  right: number;
  /** Accepted by one that began after another one, on any replica, had ended with "revoked". */
  back: number;
  /** As `back`, where some replica did not see the mark in time (400 ms): the exception of ADR 22. */
  exempt: number;
  trials: number;
  verifications: number;
}

const CONCURRENT = 20;
/** The longest time for which a key is verified before it is revoked. */
const ACTIVE_MS = 10;

export interface TrialOptions {
  readonly trials: number;
  readonly keys: Pick<KeyStore, "insertKey">;
  /** The first one revokes; all of them verify. */
  readonly replicas: readonly [Verifier, ...Verifier[]];
  /** Ends the trials early. */
  readonly isEnough?: (found: Found) => boolean;
}

/** Revokes keys, cached in every other trial, while loops in all replicas verify them without a pause. */
export async function runTrials(options: TrialOptions): Promise<Found> {
  const { trials, isEnough = () => false } = options;
  const found: Found = { right: 0, back: 0, exempt: 0, trials: 0, verifications: 0 };
  let begun = 0;
  const worker = async () => {
    while (begun < trials && !isEnough(found)) {
      begun += 1;
      await trial(options, begun % 2 === 0, found);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, worker));
  return found;
}

async function trial({ keys, replicas }: TrialOptions, isCached: boolean, found: Found): Promise<void> {
  const key = newKey();
  await keys.insertKey(key);
  if (isCached) await Promise.all(replicas.map((replica) => replica.verify(key)));
  await Promise.all(replicas.map((replica) => replica.watch(key)));
  await sleep(Math.random() * ACTIVE_MS);
  const { isInTime } = await replicas[0].change("revoke", key);
  const answeredMs = monotonicMs();
  const watched = (await Promise.all(replicas.map((replica) => replica.unwatch(key)))).reduce(joined);
  if (watched.lastActiveMs > answeredMs) found.right += 1;
  if (watched.lastActiveMs > watched.firstRevokedMs) found[isInTime ? "back" : "exempt"] += 1;
  found.trials += 1;
  found.verifications += watched.verifications;
}
