import { onTestFinished, vi } from "vitest";
import { createEdge, type Edge, type EdgeOptions } from "../../src/edge/edge.ts";
import type { EdgeQuestion, EdgeVerdict } from "../../src/edge/verdicts.ts";
import { EDGE_TOKEN } from "./edge-token.ts";

export { EDGE_TOKEN };

/** An edge of a service, which follows it; closed after the test. */
export async function startEdge(baseUrl: string, options: Partial<EdgeOptions> = {}): Promise<Edge> {
  const edge = createEdge({ baseUrl, token: EDGE_TOKEN, ...options });
  onTestFinished(() => edge.close());
  await edge.ready(10_000);
  await leased(edge);
  return edge;
}

/** Resolves when the edge may decide. */
export async function leased(edge: Edge): Promise<void> {
  await vi.waitUntil(() => edge.status.leaseMs > 0, { timeout: 60_000, interval: 5 });
}

/** What an edge decides on a call with these headers. */
export async function decide(
  edge: Edge,
  headers: Readonly<Record<string, string>>,
  question: Partial<EdgeQuestion> = {},
): Promise<EdgeVerdict | undefined> {
  return edge.verify({ headers: Object.entries(headers).flat(), scopes: [], cost: undefined, ...question });
}

/** `admitted`, the reason of a denial, or `asked`: the service would have to decide. */
export async function outcome(edge: Edge, headers: Readonly<Record<string, string>>): Promise<string> {
  const verdict = await decide(edge, headers);
  if (verdict === undefined) return "asked";
  return verdict.kind === "admitted" ? "admitted" : JSON.parse(verdict.body).reason;
}
