import { Gauge, type Registry } from "prom-client";

/** Returns what reports how many key formats lack their pepper. */
export function createKeyFormatMetrics(metrics: Registry): (unusable: number) => void {
  const gauge = new Gauge({
    name: "latchkey_key_formats_unusable",
    help: "Key formats whose keys cannot be checked, because KEY_PEPPERS_FILE lacks their pepper or has another one.",
    registers: [metrics],
  });
  return (unusable) => gauge.set(unusable);
}
