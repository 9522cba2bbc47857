import { Gauge, Histogram, type Registry } from "prom-client";

interface CacheUsage {
  readonly usage: { readonly records: number; readonly bytes: number };
}

/** From a few ms, with all replicas there, to the bound after the death of one. */
const WAIT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 7.5, 10];

/** The cache of keys and the lease under which it is used. `onWaited` takes how long a change waited, in ms. */
export function createKeyCacheMetrics(
  metrics: Registry,
  cache: CacheUsage,
  isHeld: () => boolean,
): { readonly onWaited: (ms: number) => void } {
  const registers = [metrics];
  new Gauge({
    name: "latchkey_key_cache_records",
    help: "Keys and tenants in the cache of this process.",
    registers,
    collect() {
      this.set(cache.usage.records);
    },
  });
  new Gauge({
    name: "latchkey_key_cache_bytes",
    help: "Estimated size of the cache of keys; it is bounded.",
    registers,
    collect() {
      this.set(cache.usage.bytes);
    },
  });
  new Gauge({
    name: "latchkey_key_lease_held",
    help: "1 while this process may use its cache of keys, 0 while it reads each key from PostgreSQL.",
    registers,
    collect() {
      this.set(isHeld() ? 1 : 0);
    },
  });
  const waits = new Histogram({
    name: "latchkey_key_change_wait_seconds",
    help: "How long changes of keys waited until all replicas had seen them.",
    buckets: WAIT_SECONDS,
    registers,
  });
  return { onWaited: (ms) => waits.observe(ms / 1_000) };
}
