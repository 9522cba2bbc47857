import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { type ChangeWait, WAITED_FOR } from "../../store/replicas/lease-invalidation.ts";
import type { Mended } from "../../store/replicas/mending.ts";
import type { RecordCache } from "../../store/replicas/record-cache.ts";

/** From a few ms, with all replicas there, to the bound after the death of one. */
const WAIT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 7.5, 10];

/** The cache of keys and the lease under which it is used. `onWaited` takes how long a change waited, and for what. */
export function createKeyCacheMetrics(
  metrics: Registry,
  cache: Pick<RecordCache, "usage">,
  isHeld: () => boolean,
): { readonly onWaited: (wait: ChangeWait) => void; readonly onMended: (mended: Mended) => void } {
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
  new Counter({
    name: "latchkey_record_lookups_total",
    help: "Look-ups of keys, tenants and memberships, by where their records were: in memory, or in the database.",
    labelNames: ["source"],
    registers,
    collect() {
      const { found, read } = cache.usage;
      this.reset();
      this.inc({ source: "memory" }, found);
      this.inc({ source: "database" }, read);
    },
  });
  const waits = new Histogram({
    name: "latchkey_key_change_wait_seconds",
    help: "How long changes of keys waited until all replicas had seen them, by what they waited for.",
    labelNames: ["waited_for"],
    buckets: WAIT_SECONDS,
    registers,
  });
  for (const waited_for of WAITED_FOR) waits.zero({ waited_for });
  const restored = new Counter({
    name: "latchkey_changes_restored_total",
    help: "Changes that PostgreSQL had lost in a failover, and that this process made again.",
    registers,
  });
  const lost = new Counter({
    name: "latchkey_changes_lost_total",
    help: "Audited changes that PostgreSQL lost in a failover, as this process listed them: latchkey operator lost.",
    registers,
  });
  return {
    onWaited: ({ ms, waitedFor }) => waits.observe({ waited_for: waitedFor }, ms / 1_000),
    onMended(mended) {
      restored.inc(mended.restored);
      lost.inc(mended.lost);
    },
  };
}
