// promise: edges.sidecar, edges.signals
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { latchkey as command } from "../cli/command-line.ts";
import { EDGE_TOKEN } from "../harness/edges.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { type Running, run, runService } from "../harness/service-process.ts";
import { send } from "../harness/sidecars.ts";

let latchkey: Latchkey;
let cwd: string;
beforeAll(async () => {
  latchkey = await startLatchkey({ config: { edgeTokens: [EDGE_TOKEN] } });
  cwd = await mkdtemp(join(tmpdir(), "latchkey-edge-"));
});
afterAll(async () => {
  await latchkey.close();
  await rm(cwd, { recursive: true, force: true });
});

/** What `npm start` runs, with EDGE_UPSTREAM, on a Unix socket; ended after the test. */
async function startEdge(socket: string): Promise<Running> {
  const env = { EDGE_UPSTREAM: latchkey.url, EDGE_TOKEN, EDGE_SOCKET: socket, DRAIN_SECONDS: "0" };
  const edge = run("../dist/main.js", env, cwd);
  onTestFinished(async () => void (await edge.end("SIGKILL")));
  await edge.waitFor(/"msg":"listening"/);
  return edge;
}

const check = (socketPath: string, key: string) =>
  send({ socketPath, method: "GET", path: "/auth/check" }, { "x-api-key": key });

/** Resolves when the edge has decided a call itself, with the number of calls until then. */
async function untilItDecides(socketPath: string, key: string): Promise<number> {
  let calls = 0;
  await expect
    .poll(async () => {
      // Until the edge has what it needs, a busy service may keep it waiting for too long: then nothing is spent.
      if ((await check(socketPath, key)).status === 200) calls += 1;
      const { text } = await send({ socketPath, method: "GET", path: "/metrics" }, {});
      return Number(/^latchkey_edge_decided_total (\d+)$/m.exec(text)?.[1]);
    })
    .toBeGreaterThan(0);
  return calls;
}

test("an edge on a Unix socket reports on SIGTERM what it has decided, gives back its slices, and removes its socket", async () => {
  const socket = join(cwd, "stopped.sock");
  const user = await latchkey.dashboard();
  const limits = { requests_per_hour: 1_000 };
  const { key, key_id } = await latchkey.createKey(user, { rate_limit: limits });
  const edge = await startEdge(socket);
  const spent = 5 + (await untilItDecides(socket, key));
  for (let n = 0; n < 5; n++) expect((await check(socket, key)).status).toBe(200);
  expect(await edge.end("SIGTERM")).toBe(0);
  expect(edge.log().at(-1)).toMatchObject({ msg: "stopped" });
  await expect(stat(socket)).rejects.toThrow("ENOENT");
  const used = await latchkey.call("/api/v1/api-keys/usage", { key_id }, user);
  expect(used.json.result.total_verifications).toBe(spent);
  const { headers } = await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key });
  expect(headers.get("x-ratelimit-remaining")).toBe(String(1_000 - spent - 1));
});

test("a socket that a killed edge has left behind is replaced", async () => {
  const socket = join(cwd, "killed.sock");
  const { key } = await latchkey.createKey(await latchkey.dashboard());
  const killed = await startEdge(socket);
  await killed.end("SIGKILL");
  expect((await stat(socket)).isSocket()).toBe(true);
  await startEdge(socket);
  expect((await check(socket, key)).status).toBe(200);
});

test("latchkey edge is the same, and reports all mistakes together", async () => {
  const env = { DATABASE_URL: "postgres://u@db/x", REDIS_URL: "redis://cache", EDGE_UPSTREAM: "http://127.0.0.1:1" };
  const refused = await command(["edge"], { env });
  expect(refused.status).toBe(1);
  for (const name of ["DATABASE_URL", "REDIS_URL", "EDGE_TOKEN"]) expect(refused.stderr).toContain(`  - ${name} `);
  const unnamed = await command(["edge"], { env: {} });
  expect(unnamed.stderr).toContain("EDGE_UPSTREAM is required");
});

test("an edge whose service is away starts, is not ready, and admits nothing", async () => {
  const env = { EDGE_UPSTREAM: "http://127.0.0.1:1", EDGE_TOKEN };
  const edge = runService(env, cwd);
  onTestFinished(async () => void (await edge.end("SIGKILL")));
  const url = await edge.listening();
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
  const { status } = await fetch(`${url}/auth/check`, { headers: { "x-api-key": "sk_x" } });
  expect(status).toBe(503);
  expect(edge.output()).not.toContain(EDGE_TOKEN);
  expect(await edge.end("SIGTERM")).toBe(0);
});
