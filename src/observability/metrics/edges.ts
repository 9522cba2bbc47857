import { Gauge, type Registry } from "prom-client";

/** Reports how many edges have records of this process. */
export function reportEdges(metrics: Registry, followers: { readonly count: number }): void {
  new Gauge({
    name: "latchkey_edges",
    help: "Edges that follow this process, and those whose leases have not ended since they left.",
    registers: [metrics],
    collect() {
      this.set(followers.count);
    },
  });
}
