import { Gauge, type Registry } from "prom-client";
import type { Clock } from "../../domain/vocabulary/clock.ts";

/**
 * How far this host's clock is ahead of the database's. Keys and users' tokens end by the database's, so a host whose clock is
 * wrong harms none of them; what it dates itself is wrong, such as the log, and the budgets of limits without Redis.
 */
export function reportClockSkew(registry: Registry, databaseClock: Clock): void {
  new Gauge({
    name: "latchkey_clock_skew_seconds",
    help: "Seconds by which this host's clock is ahead of PostgreSQL's; negative if it is behind.",
    registers: [registry],
    collect() {
      this.set((Date.now() - databaseClock().getTime()) / 1_000);
    },
  });
}
