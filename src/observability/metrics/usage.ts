import { Counter, Gauge, type Registry } from "prom-client";
import type { UsageLoss, UsageProgress } from "../../store/recorders/usage-recorder.ts";

/** The usage that this process has counted. `onLost` takes what it could not store when it stopped. */
export function createUsageMetrics(
  metrics: Registry,
  progress: () => UsageProgress,
): { readonly onLost: (loss: UsageLoss) => void } {
  const registers = [metrics];
  new Gauge({
    name: "latchkey_usage_waiting_verifications",
    help: "Verifications that are counted and not yet known to be stored.",
    registers,
    collect() {
      this.set(progress().waiting);
    },
  });
  new Counter({
    name: "latchkey_usage_stored_verifications_total",
    help: "Verifications that were counted and stored.",
    registers,
    collect() {
      this.reset();
      this.inc(progress().stored);
    },
  });
  const lost = new Counter({
    name: "latchkey_usage_lost_verifications_total",
    help: "Verifications that were not stored when the process stopped: lost, or unconfirmed by PostgreSQL.",
    labelNames: ["outcome"],
    registers,
  });
  const add = ({ neverSent, unconfirmed }: UsageLoss): void => {
    lost.inc({ outcome: "lost" }, neverSent);
    lost.inc({ outcome: "unconfirmed" }, unconfirmed);
  };
  add({ neverSent: 0, unconfirmed: 0 });
  return { onLost: add };
}
