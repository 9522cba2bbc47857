import type { NewKey } from "../../src/domain/keys/key.ts";
import type { KeyStore } from "../../src/domain/ports/keys.ts";
import { newKey } from "../store/records.ts";
import type { Replica } from "./replica.ts";

/** How often a revoked key was accepted after the revocation was acknowledged. */
export interface Stale {
  /** By a verification that began right after the acknowledgement. */
  right: number;
  /** By one that began when every slow reader was done. */
  later: number;
}

const CONCURRENT = 20;

/**
 * One trial: a key, warm or cold, is verified by everybody all the time while one replica revokes it. Any verification
 * that begins after the acknowledgement must refuse it.
 */
export async function runTrials(
  trials: number,
  keys: Pick<KeyStore, "insertKey">,
  revoker: Replica,
  verifiers: readonly [Replica, ...Replica[]],
): Promise<Stale> {
  const stale: Stale = { right: 0, later: 0 };
  let begun = 0;
  const worker = async () => {
    while (begun < trials) {
      begun += 1;
      const key = newKey();
      await keys.insertKey(key);
      await trial(key, begun % 2 === 0, revoker, verifiers, stale);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, worker));
  return stale;
}

async function trial(
  key: NewKey,
  isWarm: boolean,
  revoker: Replica,
  verifiers: readonly [Replica, ...Replica[]],
  stale: Stale,
): Promise<void> {
  const everybody = [revoker, ...verifiers];
  if (isWarm) await Promise.all(everybody.map((replica) => replica.verify(key)));
  let isAcknowledged = false;
  const hammering = everybody.map(async (replica) => {
    while (!isAcknowledged) await Promise.all([replica.verify(key), replica.verify(key)]);
  });
  // Some verifications are under way, with the key as it was.
  await Promise.all(verifiers.map((replica) => replica.verify(key)));
  await revoker.change("revoke", key);
  const right = await Promise.all(everybody.map((replica) => replica.verify(key)));
  isAcknowledged = true;
  await Promise.all(hammering);
  const later = await Promise.all(everybody.map((replica) => replica.verify(key)));
  if (right.some(({ status }) => status !== "revoked")) stale.right += 1;
  if (later.some(({ status }) => status !== "revoked")) stale.later += 1;
}
