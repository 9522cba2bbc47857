import { setTimeout as sleep } from "node:timers/promises";
import type { KeyStore } from "../../src/domain/keys/key-store.ts";
import { ACT } from "../harness/act.ts";
import { newKey } from "../store/records.ts";
import { joined, monotonicMs } from "./observations.ts";
import type { Verifier } from "./stores.ts";

/** In how many trials a key was accepted too late, after it was revoked or its tenant was suspended. */
export interface Found {
  /** Accepted by a verification that began after the change was acknowledged. */
  right: number;
  /** Accepted by one that began after another one, on any replica, had refused the key. */
  back: number;
  /** As `back`, where some replica did not see the mark in time (400 ms): the exception of ADR 22. */
  exempt: number;
  /** Trials in which some replica did not. */
  late: number;
  trials: number;
  verifications: number;
}

/** For controls in which nobody waits: replicas look so rarely that they miss a change, however long it takes on a busy machine. */
export const RARE_LOOKS = { poll: 1_000, lease: 10_000 };

const CONCURRENT = 20;
/** The longest time for which a key is verified before the change. */
const ACTIVE_MS = 10;

/** A change after which the key, or its token, is accepted no more. */
export type Ending = "revoke" | "suspend" | "disable" | "revoke_token" | "disable_rule" | "delete_rule";

export interface TrialOptions {
  readonly trials: number;
  readonly keys: Pick<KeyStore, "insertKey">;
  /** The first one makes the changes; all of them verify. */
  readonly replicas: readonly [Verifier, ...Verifier[]];
  /** The changes of the trials, in turn. */
  readonly endings: readonly Ending[];
  /** Ends the trials early. */
  readonly isEnough?: (found: Found) => boolean;
}

/**
 * Revokes keys and suspends their tenants, while loops in all replicas verify these keys without a pause. In every other
 * trial of each change, key and tenant are cached.
 */
export async function runTrials(options: TrialOptions): Promise<Found> {
  const { trials, endings, isEnough = () => false } = options;
  const found: Found = { right: 0, back: 0, exempt: 0, late: 0, trials: 0, verifications: 0 };
  let begun = 0;
  const worker = async () => {
    while (begun < trials && !isEnough(found)) {
      begun += 1;
      const ending = endings[begun % endings.length] ?? "revoke";
      await trial(options, ending, begun % (2 * endings.length) < endings.length, found);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, worker));
  return found;
}

async function trial({ keys, replicas }: TrialOptions, ending: Ending, isCached: boolean, found: Found): Promise<void> {
  const key = newKey();
  await keys.insertKey(key, ACT);
  if (isCached) await Promise.all(replicas.map((replica) => replica.verify(key)));
  await Promise.all(replicas.map((replica) => replica.watch(key)));
  await sleep(Math.random() * ACTIVE_MS);
  const { isInTime } = await replicas[0].change(ending, key);
  const answeredMs = monotonicMs();
  const watched = (await Promise.all(replicas.map((replica) => replica.unwatch(key)))).reduce(joined);
  if (watched.lastAcceptedMs > answeredMs) found.right += 1;
  if (watched.lastAcceptedMs > watched.firstRefusedMs) found[isInTime ? "back" : "exempt"] += 1;
  if (!isInTime) found.late += 1;
  found.trials += 1;
  found.verifications += watched.verifications;
}
