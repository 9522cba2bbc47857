import type { IncomingMessage } from "node:http";
import type { Registry } from "prom-client";
import packageJson from "../../../package.json" with { type: "json" };
import type { Outcome } from "../answer/answer-code.ts";
import type { Answer } from "../answer/envelope.ts";

export const HEALTHZ_PATH = "/healthz";
const READYZ_PATH = "/readyz";
const METRICS_PATH = "/metrics";
const OK: Outcome = { status: 200, code: "ok" };
const NOT_READY: Outcome = { status: 503, code: "unavailable" };
/** Paths that load balancers and scrapers request every few seconds. */
export const PROBE_PATHS: ReadonlySet<string> = new Set([HEALTHZ_PATH, READYZ_PATH, METRICS_PATH]);

/** Answers a GET of a path that is not an RPC. */
export type Probe = (req: Pick<IncomingMessage, "headers">) => Promise<Answer>;

/** The paths that answer a GET: those for load balancers and scrapers, and the documentation. */
export type Probes = ReadonlyMap<string, Probe>;

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
  /** What an operator can do about it where `isReady` is false and it is neither the storage nor a stop. */
  reason(): string | undefined;
}

export interface ProbesContext {
  readonly readiness: Readiness;
  readonly metrics: Pick<Registry, "contentType" | "metrics">;
}

/**
 * `/healthz`: the process is alive, and its version. `/readyz`: it can serve, which means that its storage responds, no guard objects and it
 * is not stopping.
 * `/metrics`: Prometheus' text format.
 */
export function createProbes({ readiness, metrics }: ProbesContext): Probes {
  return new Map([
    [HEALTHZ_PATH, async () => withVersion(statusAnswer(OK, "ok"))],
    [
      READYZ_PATH,
      async () =>
        (await readiness.isReady())
          ? statusAnswer(OK, "ready")
          : statusAnswer(NOT_READY, "unavailable", readiness.reason()),
    ],
    [METRICS_PATH, async () => textAnswer(OK, metrics.contentType, await metrics.metrics())],
  ]);
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

/** For callers who want to know what they call, and for those who watch a rollout. */
function withVersion(answer: Answer): Answer {
  answer.headers.set("X-Latchkey-Version", packageJson.version);
  return answer;
}

function statusAnswer(outcome: Outcome, status: string, reason?: string): Answer {
  return textAnswer(outcome, "application/json", JSON.stringify({ status, reason }));
}

function textAnswer(outcome: Outcome, contentType: string, text: string): Answer {
  const headers = new Headers({ "Content-Type": contentType, "Cache-Control": "no-store" });
  return { ...outcome, headers, body: Buffer.from(text), trailers: undefined };
}
