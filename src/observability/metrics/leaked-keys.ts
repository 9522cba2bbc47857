import { Counter, type Registry } from "prom-client";
import type { Actor } from "../../domain/audit/event.ts";

const REPORTERS = ["anonymous", "github"] as const satisfies readonly Actor["kind"][];

/** Returns what counts a key that was reported as leaked. */
export function createLeakMetrics(metrics: Registry): (reporter: Actor["kind"]) => void {
  const leaked = new Counter({
    name: "latchkey_leaked_keys_total",
    help: "Secret keys that were reported as leaked and are disabled for it, by who reported them.",
    labelNames: ["reporter"],
    registers: [metrics],
  });
  for (const reporter of REPORTERS) leaked.inc({ reporter }, 0);
  return (reporter) => leaked.inc({ reporter });
}
