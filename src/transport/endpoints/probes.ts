import type { Registry } from "prom-client";
import packageJson from "../../../package.json" with { type: "json" };
import type { Outcome } from "../answer/answer-code.ts";
import type { PlainAnswer } from "../answer/plain-answer.ts";
import { PlainHeaders } from "../answer/plain-headers.ts";
import type { Incoming } from "../request/exchange.ts";
import { OPEN_METRICS_TYPE, prefersOpenMetrics, toOpenMetrics } from "./open-metrics.ts";

export const HEALTHZ_PATH = "/healthz";
export const READYZ_PATH = "/readyz";
export const METRICS_PATH = "/metrics";
const OK: Outcome = { status: 200, code: "ok" };
const NOT_READY: Outcome = { status: 503, code: "unavailable" };
/** Paths that load balancers and scrapers request every few seconds. */
export const PROBE_PATHS: ReadonlySet<string> = new Set([HEALTHZ_PATH, READYZ_PATH, METRICS_PATH]);

export interface ReadinessContext {
  /** Rejects when the storage does not answer. */
  readonly pingStore: () => Promise<void>;
  /** Why the process must not serve although its storage responds. Undefined: it may. Default: it always may. */
  readonly problem?: () => string | undefined;
  /** Aborted when the process is about to stop and should get no more requests. */
  readonly draining: AbortSignal;
}

export interface Readiness extends Pick<ReadinessContext, "draining"> {
  /** Whether the process can serve and is not about to stop. */
  isReady(): Promise<boolean>;
  /** The operator's remedy where `isReady` is false and it is neither the storage nor a stop. */
  reason(): string | undefined;
}

/** The text of a scrape, and its type. */
export type Metrics = Pick<Registry, "contentType" | "metrics">;

/** `/healthz`: the process is alive. With its version, for callers who want to know what they call, and during a rollout. */
export function answerHealthz(): PlainAnswer {
  const answer = statusAnswer(OK, "ok");
  answer.headers.set("x-latchkey-version", packageJson.version);
  return answer;
}

/** `/readyz`: the process can serve, which means that its storage responds, no guard objects and it is not stopping. */
export async function answerReadyz(readiness: Readiness): Promise<PlainAnswer> {
  if (await readiness.isReady()) return statusAnswer(OK, "ready");
  return statusAnswer(NOT_READY, "unavailable", readiness.reason());
}

/** `/metrics`: Prometheus' text format, or OpenMetrics for a scraper that prefers it. */
export async function answerMetrics(metrics: Metrics, { headers }: Pick<Incoming, "headers">): Promise<PlainAnswer> {
  const text = await metrics.metrics();
  return prefersOpenMetrics(headers.accept)
    ? textAnswer(OK, OPEN_METRICS_TYPE, toOpenMetrics(text))
    : textAnswer(OK, metrics.contentType, text);
}

/** Concurrent checks share one ping: they need no credentials, and must not take storage connections from callers. */
export function createReadiness(ctx: ReadinessContext): Readiness {
  const { pingStore, problem = () => undefined, draining } = ctx;
  let asking: Promise<boolean> | undefined;

  async function ask(): Promise<boolean> {
    try {
      await pingStore();
      return true;
    } catch {
      // Not logged: the 503 reports it, and the failing requests log the cause.
      return false;
    }
  }

  return {
    draining,
    reason: () => (draining.aborted ? undefined : problem()),
    async isReady() {
      if (draining.aborted || problem() !== undefined) return false;
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
  };
}

function statusAnswer(outcome: Outcome, status: string, reason?: string): PlainAnswer {
  return textAnswer(outcome, "application/json", JSON.stringify({ status, reason }));
}

function textAnswer(outcome: Outcome, contentType: string, text: string): PlainAnswer {
  const headers = new PlainHeaders({ "content-type": contentType, "cache-control": "no-store" });
  return { ...outcome, headers, body: text };
}
