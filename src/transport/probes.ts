import type { IncomingMessage } from "node:http";
import type { Registry } from "prom-client";
import type { Answer } from "./envelope.ts";

/** Answers a GET of a path that is no RPC. */
export type Probe = (req: Pick<IncomingMessage, "headers">) => Promise<Answer>;

/** What is asked by GET, by path: what a load balancer and a scraper ask, and the documentation. */
export type Probes = ReadonlyMap<string, Probe>;

export interface Readiness {
  /** Rejects when the storage does not answer. */
  readonly pingStore: () => Promise<void>;
  /** Aborted when the process is about to stop and wants no more requests. */
  readonly draining: AbortSignal;
}

export interface ProbesContext extends Readiness {
  readonly metrics: Registry;
}

/**
 * `/healthz`: the process is alive. `/readyz`: it can serve, so its storage answers and it is not stopping.
 * `/metrics`: Prometheus' text format.
 */
export function createProbes(ctx: ProbesContext): Probes {
  return new Map([
    ["/healthz", async () => statusAnswer(200, "ok")],
    ["/readyz", async () => ((await isReady(ctx)) ? statusAnswer(200, "ready") : statusAnswer(503, "unavailable"))],
    ["/metrics", async () => textAnswer(200, ctx.metrics.contentType, await ctx.metrics.metrics())],
  ]);
}

/** Whether the process can serve and wants to. */
export async function isReady(ctx: Readiness): Promise<boolean> {
  if (ctx.draining.aborted) return false;
  try {
    await ctx.pingStore();
    return true;
  } catch {
    // The answer is the report; the failing requests log the cause.
    return false;
  }
}

function statusAnswer(status: number, text: string): Answer {
  return textAnswer(status, "application/json", JSON.stringify({ status: text }));
}

function textAnswer(status: number, contentType: string, text: string): Answer {
  const headers = new Headers({ "Content-Type": contentType, "Cache-Control": "no-store" });
  return { status, headers, body: Buffer.from(text), trailers: undefined };
}
