import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { generateSigningKey, type IdentityProvider, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { createKey } from "../harness/latchkey.ts";
import { type Running, runService } from "../harness/service-process.ts";
import { createDatabase } from "../servers/postgres.ts";

const CLIENTS = 16;
const ROLLS = 4;
/** Less than a process may take to end: the platform kills it after 30 s. */
const END_MS = 28_000;

let cwd: string;
let provider: IdentityProvider;
const running: Running[] = [];

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "latchkey-rolling-"));
  provider = await startIdentityProvider(await generateSigningKey());
});

afterEach(async () => {
  for (const { child } of running) child.kill("SIGKILL");
  await Promise.all(running.splice(0).map((process) => process.ended()));
  await provider.close();
  await rm(cwd, { recursive: true, force: true });
});

interface Replica {
  readonly process: Running;
  readonly url: string;
}

async function start(databaseUrl: string): Promise<Replica> {
  const { issuer, jwksUrl, audience } = provider;
  const process = runService(
    {
      // Requests that wait because the machine is busy are not shed: this is about those that a replica's end would lose.
      ...{ DRAIN_SECONDS: "1", LOG_LEVEL: "info", OVERLOAD_WAIT_MS: "60000", REDIS_TIMEOUT_MS: "1000" },
      ...{ DATABASE_URL: databaseUrl, REDIS_URL: inject("redisUrl") },
      ...{ OIDC_ISSUER: issuer, OIDC_JWKS_URL: jwksUrl, OIDC_AUDIENCE: audience },
    },
    cwd,
  );
  running.push(process);
  return { process, url: await process.listening() };
}

/** One request over a connection that is kept; answers the status, or why there is none. */
function verify(agent: Agent, url: string, key: string): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { "content-type": "application/json", "x-api-key": key };
    const req = request(`${url}/api/v1/auth/verify`, { method: "POST", agent, headers }, (res) => {
      res.resume().on("end", () => resolve(res.statusCode ?? 0));
    });
    req.on("error", (err: NodeJS.ErrnoException) => resolve(err.code ?? err.message));
    req.end("{}");
  });
}

// threat: H11
test("replicas replaced one after the other under load drop no request, and each ends with 0 in time", async () => {
  const databaseUrl = await createDatabase(inject("postgresUrl"));
  const replicas = [await start(databaseUrl), await start(databaseUrl)];
  const token = await provider.sign({ sub: "u", tenant_id: "t" });
  const { key } = await createKey(replicas[0]?.url ?? "", { authorization: `Bearer ${token}` }, {});

  const agent = new Agent({ keepAlive: true });
  const outcomes = new Map<number | string, number>();
  let isRolling = true;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let n = client; isRolling; n++) {
      const outcome = await verify(agent, replicas[n % replicas.length]?.url ?? "", key);
      // As a load balancer does: a replica that takes no connection got nothing, so the other one is asked.
      if (outcome !== "ECONNREFUSED") outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  });
  for (let roll = 0; roll < ROLLS; roll++) {
    const old = replicas.shift();
    replicas.push(await start(databaseUrl));
    const toldMs = performance.now();
    old?.process.child.kill("SIGTERM");
    expect(await old?.process.ended()).toBe(0);
    expect(performance.now() - toldMs).toBeLessThan(END_MS);
  }
  isRolling = false;
  await Promise.all(clients);
  agent.destroy();
  expect([...outcomes.keys()]).toEqual([200]);
  expect(outcomes.get(200)).toBeGreaterThan(1_000);
}, 300_000);
