import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../harness/eventually.ts";
import type { Fleet, Replica } from "../harness/fleet.ts";
import type { CreatedKey } from "../harness/latchkey.ts";

const KEYS = 12;
const PAUSE_MS = 20;
const CHANGE_EVERY_MS = 200;

/** Verifications and changes on all replicas at once, until `stop`. */
export interface Load {
  /** A key that no replica has seen. */
  freshKey(): CreatedKey;
  verify(replica: Replica, key: CreatedKey): Promise<number>;
  /** Whether a change was acknowledged that began after an instant of `performance.now()`. */
  hasChangedSince(ms: number): boolean;
  /** The ids of keys, by what was acknowledged. */
  acknowledged(): { readonly created: readonly string[]; readonly revoked: readonly string[] };
  figures(): LoadFigures;
  stop(): Promise<void>;
}

export interface LoadFigures {
  /** Verifications of valid keys. */
  readonly verified: number;
  /** Those without a verdict: neither 200 nor 401. */
  readonly lost: number;
  /** Valid keys that were denied. */
  readonly denied: number;
  /** Revoked keys that were accepted although the verification began after the revocation was acknowledged. */
  readonly stale: number;
}

export async function startLoad(fleet: Fleet, replicas: readonly Replica[], freshKeys: number): Promise<Load> {
  // On a busy machine a proxy may take its servers for away at first.
  const create = (count: number) =>
    Promise.all(Array.from({ length: count }, () => eventually(() => fleet.createKey(replicas[0] as Replica))));
  const [keys, fresh] = [await create(KEYS), await create(freshKeys)];
  const created: CreatedKey[] = [];
  const revoked: CreatedKey[] = [];
  const figures = { verified: 0, lost: 0, denied: 0, stale: 0 };
  /** When the latest acknowledged change began. */
  let changedMs = 0;
  let isOver = false;

  const verify = async (replica: Replica, { key }: CreatedKey) =>
    (await replica.call("/api/v1/auth/verify", {}, { "x-api-key": key })).status;

  /** In turn a valid key, and a revoked one: the newest, or any. */
  async function keepVerifying(replica: Replica): Promise<void> {
    for (let n = 0; !isOver; n++) {
      const status = await verify(replica, keys[n % KEYS] as CreatedKey);
      figures.verified += 1;
      if (status === 401) figures.denied += 1;
      else if (status !== 200) figures.lost += 1;
      const ended = revoked[n % 2 === 0 ? revoked.length - 1 : n % revoked.length];
      if (ended !== undefined && (await verify(replica, ended)) === 200) figures.stale += 1;
      await sleep(PAUSE_MS);
    }
  }

  /** Creates a key, has all replicas cache it, and revokes it. */
  async function change(replica: Replica): Promise<void> {
    const fromMs = performance.now();
    const headers = await fleet.dashboard();
    const body = { name: "short-lived", permissions: ["plans:read"] };
    const made = await replica.call("/api/v1/api-keys/create", body, headers);
    if (made.status !== 200) return;
    const key = made.json.result as CreatedKey;
    created.push(key);
    await Promise.all(replicas.map((each) => verify(each, key)));
    const { status } = await replica.call("/api/v1/api-keys/revoke", { key_id: key.key_id }, headers);
    if (status !== 200) return;
    revoked.push(key);
    changedMs = Math.max(changedMs, fromMs);
  }

  async function keepChanging(replica: Replica): Promise<void> {
    while (!isOver) {
      await change(replica);
      await sleep(CHANGE_EVERY_MS);
    }
  }

  const running = Promise.all(replicas.flatMap((replica) => [keepVerifying(replica), keepChanging(replica)]));
  // `stop` reports it.
  running.catch(() => undefined);
  return {
    freshKey: () => fresh.pop() as CreatedKey,
    verify,
    hasChangedSince: (ms) => changedMs > ms,
    acknowledged: () => ({
      created: created.map(({ key_id }) => key_id),
      revoked: revoked.map(({ key_id }) => key_id),
    }),
    figures: () => ({ ...figures }),
    async stop() {
      isOver = true;
      await running;
    },
  };
}
