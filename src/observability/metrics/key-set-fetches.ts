import { Histogram, type Registry } from "prom-client";
import type { JwksOwner } from "../../domain/tokens/claims.ts";
import type { KeySetFetch } from "../../store/jwks/key-sets.ts";

/** A fetch is cut off after 5 s. */
const FETCH_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const OWNERS: readonly JwksOwner["kind"][] = ["operator", "tenant"];
const OUTCOMES: readonly KeySetFetch[] = ["ok", "failed", "not_sent"];

/** Returns what takes each fetch of a key set. Tenants are not distinguished: there may be any number of them. */
export function createKeySetMetrics(metrics: Registry): (owner: JwksOwner, outcome: KeySetFetch, ms: number) => void {
  const fetches = new Histogram({
    name: "latchkey_key_set_fetch_duration_seconds",
    help: "How long fetches of key sets took, by whether the operator or a tenant configured them, and by outcome.",
    labelNames: ["owner", "outcome"],
    buckets: FETCH_SECONDS,
    registers: [metrics],
  });
  for (const owner of OWNERS) for (const outcome of OUTCOMES) fetches.zero({ owner, outcome });
  return ({ kind: owner }, outcome, ms) => fetches.observe({ owner, outcome }, ms / 1_000);
}
