import type { NewKey } from "../../src/domain/keys/key.ts";
import type { KeyStore } from "../../src/domain/ports/keys.ts";
import { newKey } from "../store/records.ts";
import type { Replica } from "./store-process.ts";

/** How often a revoked key was accepted after the revocation was acknowledged. */
export interface Stale {
  /** By a verification that began right after the acknowledgement. */
  atOnce: number;
  /** By one that began after every slow read had ended. */
  later: number;
}

const CONCURRENT = 20;

/**
 * One trial: all replicas keep verifying a key, cached or not, while one of them revokes it. Each verification that
 * begins after the acknowledgement must reject the key.
 */
export async function runTrials(
  trials: number,
  keys: Pick<KeyStore, "insertKey">,
  revoker: Replica,
  verifiers: readonly [Replica, ...Replica[]],
): Promise<Stale> {
  const stale: Stale = { atOnce: 0, later: 0 };
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
  isCached: boolean,
  revoker: Replica,
  verifiers: readonly [Replica, ...Replica[]],
  stale: Stale,
): Promise<void> {
  const replicas = [revoker, ...verifiers];
  if (isCached) await Promise.all(replicas.map((replica) => replica.verify(key)));
  let isAcknowledged = false;
  const verifying = replicas.map(async (replica) => {
    while (!isAcknowledged) await Promise.all([replica.verify(key), replica.verify(key)]);
  });
  // Some verifications are under way, with the key as it was.
  await Promise.all(verifiers.map((replica) => replica.verify(key)));
  await revoker.change("revoke", key);
  const atOnce = await Promise.all(replicas.map((replica) => replica.verify(key)));
  isAcknowledged = true;
  await Promise.all(verifying);
  const later = await Promise.all(replicas.map((replica) => replica.verify(key)));
  if (atOnce.some(({ status }) => status !== "revoked")) stale.atOnce += 1;
  if (later.some(({ status }) => status !== "revoked")) stale.later += 1;
}
