import { request } from "node:http";
import { onTestFinished } from "vitest";
import { type Sidecar, startSidecar } from "../../src/app/sidecar/sidecar.ts";
import type { SidecarConfig } from "../../src/config/sidecar.ts";
import { createLogger } from "../../src/observability/log/log.ts";
import { EDGE_TOKEN } from "./edges.ts";
import { NO_BOUNDS } from "./no-bounds.ts";
import { trusting } from "./trusted-proxies.ts";

/** An answer, with headers by lower-case names. */
export interface SidecarAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface RunningSidecar {
  readonly sidecar: Sidecar;
  readonly logLines: readonly string[];
  verify(headers: Readonly<Record<string, string>>, body?: object): Promise<SidecarAnswer>;
  check(query: string, headers: Readonly<Record<string, string>>): Promise<SidecarAnswer>;
  get(path: string): Promise<SidecarAnswer>;
}

/** A sidecar of a service on a free port, closed after the test. */
export async function runSidecar(upstream: string, changes: Partial<SidecarConfig> = {}): Promise<RunningSidecar> {
  const running = await openSidecar(upstream, changes);
  onTestFinished(() => running.sidecar.close());
  return running;
}

/** The same, which the caller closes. */
export async function openSidecar(upstream: string, changes: Partial<SidecarConfig> = {}): Promise<RunningSidecar> {
  const logLines: string[] = [];
  const config: SidecarConfig = {
    upstream,
    token: EDGE_TOKEN,
    port: { host: "127.0.0.1", port: 0 },
    socketPath: null,
    trustedProxies: trusting(["127.0.0.0/8", "::1"]),
    overload: NO_BOUNDS,
    logLevel: "info",
    drainNoticeMs: 0,
    ...changes,
  };
  const sidecar = await startSidecar(config, {
    log: createLogger("info", (line) => void logLines.push(line)),
    writeLine: (makeLine) => void logLines.push(makeLine()),
  });
  const place = sidecar.port === undefined ? { socketPath: sidecar.socketPath ?? "" } : placeOf(sidecar.port.url);
  return {
    sidecar,
    logLines,
    verify: (headers, body = {}) =>
      send({ ...place, method: "POST", path: "/api/v1/auth/verify" }, headers, JSON.stringify(body)),
    check: (query, headers) => send({ ...place, method: "GET", path: `/auth/check${query}` }, headers),
    get: (path) => send({ ...place, method: "GET", path }, {}),
  };
}

/** The same, which may decide. */
export async function runDecidingSidecar(upstream: string, changes?: Partial<SidecarConfig>): Promise<RunningSidecar> {
  const running = await runSidecar(upstream, changes);
  await mayDecide(running);
  return running;
}

/** Resolves when the sidecar may decide. */
export async function mayDecide({ sidecar }: RunningSidecar): Promise<void> {
  while (sidecar.status.leaseMs === 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Resolves when it may not any more. */
export async function mayNotDecide({ sidecar }: RunningSidecar): Promise<void> {
  while (sidecar.status.leaseMs > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

export function placeOf(url: string): { host: string; port: string } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port };
}

/** By `node:http`, which adds no headers of a browser, and connects to Unix sockets. */
export function send(
  place: { host?: string; port?: string; socketPath?: string; method: string; path: string },
  headers: Readonly<Record<string, string>>,
  body = "",
): Promise<SidecarAnswer> {
  return new Promise((resolve, reject) => {
    const type: Record<string, string> = body === "" ? {} : { "content-type": "application/json" };
    const req = request({ ...place, headers: { ...type, ...headers }, agent: false }, (res) => {
      let text = "";
      res.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      res.on("end", () => {
        const named = Object.entries(res.headers).map(([name, value]) => [name, String(value)]);
        resolve({ status: res.statusCode ?? 0, headers: Object.fromEntries(named), text });
      });
    });
    req.on("error", reject);
    req.end(body);
  });
}
