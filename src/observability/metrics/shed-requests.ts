import { Counter, type Registry } from "prom-client";
import type { ReportError } from "../../domain/vocabulary/report-error.ts";

/** Ms between two reports: under overload each of them would add to it. */
const REPORT_MS = 1_000;

/** Counts and reports the requests that were refused because there were too many. */
export function createShedRequests(metrics: Registry, warn: ReportError): () => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const counter = new Counter({
    name: "latchkey_requests_shed_total",
    help: "Requests that were answered 503, before anything was done for them, because the process had more than it could serve.",
    registers: [metrics],
  });
  return () => {
    counter.inc();
    const now = performance.now();
    if (now - reportedAt < REPORT_MS) return;
    reportedAt = now;
    warn("overloaded: requests are answered 503", undefined);
  };
}
