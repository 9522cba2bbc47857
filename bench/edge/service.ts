import { join } from "node:path";
import { createEdge, type Edge } from "../../src/edge/edge.ts";
import { latchkeyRedis } from "../contestants.ts";
import { PATHS, probe } from "../requests.ts";
import { type Server, startServer } from "../server.ts";
import { reportingTo } from "../state.ts";
import type { World } from "../world.ts";

const EDGE_TOKEN = "edge-token-of-the-benchmark-0123456789";
const READY_MS = 60_000;
const POLL_MS = 5;

/** The service that edges follow, in a process of its own. */
export interface EdgeHost extends Server {
  readonly url: string;
  readonly databaseUrl: string;
  /** Where it reports its state, for `stateOf`. */
  readonly stateFile: string;
}

export async function startEdgeHost(world: World): Promise<EdgeHost> {
  const stateFile = join(world.folder, "state");
  const { env, ...command } = await latchkeyRedis.command(world);
  const withEdges = reportingTo(stateFile, {
    ...command,
    isAnyCore: true,
    env: { ...env, EDGE_TOKEN, LOG_LEVEL: "warn" },
  });
  const [secret = ""] = world.keys.unlimited;
  const server = await startServer(withEdges, probe("verify", PATHS.verify, { "X-API-Key": secret }));
  return { ...server, stateFile, url: `http://127.0.0.1:${server.port}`, databaseUrl: env.DATABASE_URL ?? "" };
}

/** An edge in this process that may decide. */
export async function startEdge({ url }: EdgeHost): Promise<Edge> {
  const edge = createEdge({ baseUrl: url, token: EDGE_TOKEN });
  await edge.ready(READY_MS);
  const deadline = performance.now() + READY_MS;
  while (edge.status.leaseMs === 0) {
    if (performance.now() > deadline) throw new Error("an edge got no lease");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return edge;
}

/** The headers of a request that reaches a guard in Node, as its `rawHeaders`. */
export function rawHeaders(credentials: Readonly<Record<string, string>>): readonly string[] {
  const usual = { Host: "api.example.com", Accept: "*/*", "User-Agent": "node", "Accept-Encoding": "gzip, deflate" };
  return Object.entries({ ...usual, ...credentials }).flat();
}
