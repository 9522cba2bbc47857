import { Gauge, type Registry } from "prom-client";
import type { InFlight } from "../../transport/handler.ts";

/** Counts the requests that have begun and not ended, on all ports together. */
export function createRequestsInFlight(metrics: Registry): InFlight {
  const inFlight = { requests: 0 };
  new Gauge({
    name: "latchkey_requests_in_flight",
    help: "Requests that are being served, callers that wait for a reply included.",
    registers: [metrics],
    collect() {
      this.set(inFlight.requests);
    },
  });
  return inFlight;
}
