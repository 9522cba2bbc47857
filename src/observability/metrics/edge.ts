import { Counter, Gauge, type Registry } from "prom-client";

/** What an edge says of itself. */
interface ReportedEdge {
  readonly status: {
    readonly decided: number;
    readonly asked: number;
    readonly leaseMs: number;
    readonly records: number;
    readonly lagMs: number | undefined;
  };
}

/** Reports what an edge is doing, read at each scrape. */
export function reportEdge(metrics: Registry, edge: ReportedEdge): void {
  const registers = [metrics];
  new Counter({
    name: "latchkey_edge_decided_total",
    help: "Calls that this edge has decided itself.",
    registers,
    collect() {
      this.reset();
      this.inc(edge.status.decided);
    },
  });
  new Counter({
    name: "latchkey_edge_asked_total",
    help: "Calls that this edge has passed on to the service, because it could not decide them.",
    registers,
    collect() {
      this.reset();
      this.inc(edge.status.asked);
    },
  });
  new Gauge({
    name: "latchkey_edge_lease_seconds",
    help: "For how long this edge may decide from now on, if nothing more arrives. 0: it passes all calls on.",
    registers,
    collect() {
      this.set(edge.status.leaseMs / 1_000);
    },
  });
  new Gauge({
    name: "latchkey_edge_records",
    help: "Records of keys and tenants that this edge has.",
    registers,
    collect() {
      this.set(edge.status.records);
    },
  });
  new Gauge({
    name: "latchkey_edge_lag_seconds",
    help: "How long the last lease took from the question to the answer. NaN: none has arrived.",
    registers,
    collect() {
      const { lagMs } = edge.status;
      this.set(lagMs === undefined ? Number.NaN : lagMs / 1_000);
    },
  });
}
