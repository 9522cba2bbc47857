import type { Logger } from "pino";
import { Histogram, type Registry } from "prom-client";
import type { Principal } from "../domain/identity/principal.ts";
import type { Call } from "../interceptors/call.ts";
import type { Incoming } from "./exchange.ts";

/** One wide line per answer, and the same facts as a metric. Never a key, a token or a message's text. */
export interface AccessLog {
  answered(req: Incoming, status: number, call: Call, durationMs: number): void;
  unforeseen(err: unknown, call: Call): void;
}

const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createAccessLog(log: Logger, metrics: Registry): AccessLog {
  const durations = new Histogram({
    name: "latchkey_request_duration_seconds",
    help: "Time from a request's headers to its answer, by RPC, HTTP status and reason of denial.",
    labelNames: ["procedure", "status", "denial_reason"],
    buckets: DURATION_BUCKETS_S,
    registers: [metrics],
  });
  /** By labels, of which there are few: finding a child costs more than observing. */
  const children = new Map<string, Histogram.Internal<"procedure" | "status" | "denial_reason">>();
  function childFor(procedure: string, status: string, reason: string) {
    const id = `${procedure} ${status} ${reason}`;
    const known = children.get(id);
    if (known !== undefined) return known;
    const child = durations.labels(procedure, status, reason);
    children.set(id, child);
    return child;
  }
  return {
    answered(req, status, call, durationMs) {
      const { requestId, procedure = "", denial, principal, presented } = call;
      childFor(procedure, String(status), denial?.reason ?? "").observe(durationMs / 1_000);
      if (!log.isLevelEnabled("info")) return;
      log.info(
        {
          request_id: requestId,
          procedure,
          ...(procedure === "" && { method: req.method, path: loggable(req.url ?? "") }),
          status,
          ...(denial && { denial_reason: denial.reason }),
          ...(presented && { tenant_id: presented.key.tenantId, key_id: presented.key.keyId }),
          ...(principal && caller(principal)),
          duration_ms: Math.round(durationMs * 1_000) / 1_000,
        },
        "request",
      );
    },
    unforeseen(err, call) {
      log.error({ err, request_id: call.requestId }, "unforeseen error");
    },
  };
}

/** The beginning of a path that is none of ours, without what could be a key or a token: people paste anything. */
function loggable(url: string): string {
  const [path = ""] = url.split("?", 1);
  return path.slice(0, 128).replace(/[^/]{20,}/g, "...");
}

function caller(principal: Principal): Record<string, string | null> {
  switch (principal.kind) {
    case "dashboard_user":
      return { caller: principal.kind, tenant_id: principal.tenantId, user_id: principal.userId };
    case "secret_key":
      return {
        caller: principal.kind,
        tenant_id: principal.tenantId,
        key_id: principal.key.keyId,
        user_id: principal.onBehalfOf,
      };
    case "publishable_key":
      return {
        caller: principal.kind,
        tenant_id: principal.tenantId,
        key_id: principal.key.keyId,
        user_id: principal.userId,
      };
    default:
      return principal satisfies never;
  }
}
