// promise: verify.deploys
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { EXCHANGE, postForm } from "../harness/federation.ts";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import { post } from "../harness/http.ts";
import { scrape, sumOf } from "../harness/scrape.ts";
import { makeCertificate, trust } from "../harness/test-certificate.ts";
import { TOKEN_ISSUER, TOKEN_SECRET } from "../harness/token-settings.ts";
import { runProxy } from "../proxies/proxy.ts";
import { freePort } from "../servers/free-port.ts";
import { BALANCERS, type BalancerPorts } from "./balancers.ts";

// The configurations of deploy/compose/nginx.conf and deploy/haproxy in front of two replicas.

const VERIFY = "/api/v1/auth/verify";
const LIST = "/api/v1/api-keys/list";
const CALLERS = 16;
/** Longer than the time-out after which a read goes to the other replica. */
const HANGS_MS = 12_000;
/** That time-out, the other replica's answer, and a machine that is busy. */
const ANSWERED_MS = 6_000 + 4_000;

const certificate = makeCertificate();

describe.each(Object.entries(BALANCERS))("behind %s", (_, { kind, configure }) => {
  let ports: BalancerPorts;
  let fleet: Fleet;
  let replicas: [Replica, Replica];
  let balancer: { stop(): Promise<void> };
  let url: string;

  beforeAll(async () => {
    trust(certificate);
    fleet = await startFleet(inject("redisUrl"));
    ports = { balancer: await freePort(), replicas: [await freePort(), await freePort()] };
    replicas = [await start(0), await start(1)];
    balancer = await runProxy(kind, ports.balancer, (folder) => configure(folder, ports, certificate));
    url = `https://127.0.0.1:${ports.balancer}`;
  }, 180_000);
  afterAll(async () => {
    await balancer?.stop();
    await fleet?.close();
  });

  const start = (n: 0 | 1): Promise<Replica> =>
    fleet.start({ PORT: String(ports.replicas[n]), DRAIN_SECONDS: "2", TOKEN_ISSUER, TOKEN_SECRET });

  /** Makes calls, one after the other for each caller, until `work` ends. Resolves with each status and how often it came. */
  async function statusesDuring(
    work: () => Promise<void>,
  ): Promise<{ statuses: Map<number, number>; longestMs: number }> {
    const { key } = await fleet.createKey(replicas[0], {});
    const verify = { path: VERIFY, headers: { "x-api-key": key } };
    const list = { path: LIST, headers: await fleet.dashboard() };
    const statuses = new Map<number, number>();
    let longestMs = 0;
    let isWorking = true;
    const callers = Array.from({ length: CALLERS }, async (_, n) => {
      while (isWorking) {
        const { path, headers } = n === 0 ? list : verify;
        const from = performance.now();
        const { status } = await post(url, path, {}, headers);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (path === VERIFY) longestMs = Math.max(longestMs, performance.now() - from);
      }
    });
    try {
      await work();
    } finally {
      isWorking = false;
    }
    await Promise.all(callers);
    return { statuses, longestMs };
  }

  /** How many verifications a replica has answered; NaN: none yet. */
  const verified = async ({ url }: Replica) =>
    sumOf(await scrape(url), "latchkey_request_duration_seconds_count", {
      procedure: "latchkey.v1.AuthService/Verify",
    });

  // threat: H11
  test("no verification and no list fails while one replica is replaced after the other", async () => {
    const { statuses } = await statusesDuring(async () => {
      for (const n of [0, 1] as const) {
        expect(await replicas[n].end("SIGTERM")).toBe(0);
        replicas[n] = await start(n);
        // Until then the balancer has not seen that it is back, and the other one is the only one.
        await expect.poll(() => verified(replicas[n])).toBeGreaterThan(0);
      }
    });
    expect([...statuses.keys()]).toEqual([200]);
    expect(statuses.get(200)).toBeGreaterThan(500);
  });

  test("no verification fails while one replica hangs, and none waits for its end", async () => {
    const [, { child }] = replicas;
    const { statuses, longestMs } = await statusesDuring(async () => {
      child.kill("SIGSTOP");
      await sleep(HANGS_MS);
      child.kill("SIGCONT");
    });
    expect([...statuses.keys()]).toEqual([200]);
    // The replica that works gets most of the calls: few are held up.
    expect(statuses.get(200)).toBeGreaterThan(500);
    expect(longestMs).toBeLessThan(ANSWERED_MS);
  });

  test("gRPC reaches the replicas, and the operator's RPCs do not", async () => {
    const { key, key_id } = await fleet.createKey(replicas[0], {});
    const transport = createGrpcTransport({ baseUrl: url, nodeOptions: { ca: certificate.cert } });
    const { keyId } = await createClient(AuthService, transport).verify({}, { headers: { "x-api-key": key } });
    expect(keyId).toBe(key_id);
    for (const path of [
      ...["/api/v1/operator/tenants/list", "/latchkey.v1.OperatorService/ListTenants", "/metrics"],
      ...["/latchkey.v1.EdgeService/Follow", "/oauth/token/", "/consoles"],
    ])
      expect((await fetch(url + path, { method: "POST" })).status, path).toBe(404);
  });

  test("workloads reach the exchange of tokens, verifiers the public keys and the metadata, and people the console", async () => {
    for (const path of ["/.well-known/jwks.json", "/.well-known/oauth-authorization-server", "/console"]) {
      expect((await fetch(url + path)).status, path).toBe(200);
    }
    const script = /(?:src|href)="(\/console\/[^"]+\.js)"/.exec(await (await fetch(`${url}/console`)).text())?.[1];
    expect((await fetch(url + script)).headers.get("content-type")).toMatch(/javascript/);
    const exchange = await postForm({ url }, { grant_type: EXCHANGE });
    expect([exchange.status, exchange.json.error]).toEqual([400, "invalid_request"]);
  });
});
