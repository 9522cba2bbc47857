import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Fleet, Replica } from "../harness/fleet.ts";
import { createKey, newTenant } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";
import type { EdgeProcess } from "./edge-process.ts";
import { countStale } from "./processes.ts";
import { sharedMs } from "./store-process.ts";

/** What ends keys: each of them, or their tenant. */
const ENDINGS = { revoke: "api_key_revoked", disable: "api_key_disabled", suspend: "api_key_disabled" } as const;
const VERBS = ["revoke", "disable", "suspend"] as const;
/** In which an edge gets back to work, on a machine that does much else. */
const RECOVERY = { timeout: 20_000, interval: 20 };

export interface EdgeTrials {
  readonly fleet: Fleet;
  /** Makes the changes. */
  readonly changer: Replica;
  readonly edges: readonly EdgeProcess[];
  /** Those of `edges` that must be at work afterwards. Default: all. */
  readonly survivors?: readonly EdgeProcess[];
  readonly keys: number;
  readonly round: number;
  /** Begins before the changes. Awaits what it returns, at the latest when they are answered. */
  readonly fault: (answered: Promise<unknown>) => Promise<unknown>;
}

export interface EdgeFindings {
  /** Keys that were accepted by a verification which began after their change had been answered. */
  readonly stale: number;
  readonly trials: number;
  /** The longest of the changes. */
  readonly worstMs: number;
}

/** Ends keys while edges verify them without a pause, and something happens to the edges or their replicas. */
export async function runEdgeTrials(trials: EdgeTrials): Promise<EdgeFindings> {
  const { fleet, changer, edges, survivors = edges, round, fault } = trials;
  const verb = VERBS[round % VERBS.length] ?? "revoke";
  const tenant = newTenant();
  const user = await fleet.dashboard(undefined, tenant);
  const created = await Promise.all(Array.from({ length: trials.keys }, () => createKey(changer.url, user, {})));
  const keys = created.map(({ key }) => key);
  for (const edge of edges) {
    await expect.poll(() => edge.verify(keys), RECOVERY).toEqual(keys.map(() => "admitted"));
    await edge.watch(keys);
  }
  await sleep(20 + 80 * Math.random());
  const answered = Promise.withResolvers<void>();
  const disturbed = fault(answered.promise);
  const fromMs = sharedMs();
  const change = async (path: string, body: object, headers: Record<string, string>): Promise<number> => {
    // What the outage of a replica or of PostgreSQL makes fail is done again, as a client would.
    for (;;) {
      const answer = await changer.call(path, body, headers).catch(() => undefined);
      if (answer?.status === 200) return sharedMs();
      await sleep(20);
    }
  };
  const answers =
    verb === "suspend"
      ? change("/api/v1/operator/tenants/suspend", { tenant_id: tenant, reason: "a trial" }, OPERATOR).then((at) =>
          keys.map(() => at),
        )
      : Promise.all(created.map(({ key_id }) => change(`/api/v1/api-keys/${verb}`, { key_id }, user)));
  const acked = await answers.finally(() => answered.resolve());
  await disturbed;
  for (const edge of survivors)
    await expect.poll(() => edge.verify(keys), RECOVERY).toEqual(keys.map(() => ENDINGS[verb]));
  const seen = await Promise.all(survivors.map((edge) => edge.seen(keys)));
  // Each edge has used what it had.
  for (const bySome of seen) expect(Math.min(...bySome.map(({ acceptedFromMs }) => acceptedFromMs))).toBeGreaterThan(0);
  return { stale: countStale(acked, seen), trials: keys.length, worstMs: Math.max(...acked) - fromMs };
}
