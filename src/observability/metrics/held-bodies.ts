import { Gauge, type Registry } from "prom-client";
import type { HeldBodies } from "../../transport/request/held-bodies.ts";

/** Reports the bytes of bodies in memory, of all ports together. */
export function reportHeldBodies(metrics: Registry, bodies: HeldBodies): HeldBodies {
  new Gauge({
    name: "latchkey_request_body_bytes",
    help: "Bytes of request bodies that are held until their requests are answered, of those that arrived after their heads.",
    registers: [metrics],
    collect() {
      this.set(bodies.bytes);
    },
  });
  return bodies;
}
