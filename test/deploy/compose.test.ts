import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { OperatorService } from "../../gen/latchkey/v1/operator_service_pb.ts";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import { post } from "../harness/http.ts";
import { makeCertificate, trust } from "../harness/test-certificate.ts";
import { runProxy } from "../proxies/proxy.ts";
import { freePort } from "../servers/free-port.ts";
import { type RedisServer, startOwnRedis } from "../servers/redis.ts";
import { BALANCERS } from "./balancers.ts";
import { readYaml } from "./files.ts";

// The parts of deploy/compose without Docker, which is not on every machine that runs the tests: its nginx and its Redis,
// with their configurations, and two replicas. What nginx does while replicas end or hang is in balancers.test.ts.

const PASSWORD = "a-password-of-this-test";
const OPERATOR_TOKEN = "operator-token-of-this-test-0123456789";
const VERIFY = "/api/v1/auth/verify";

const certificate = makeCertificate();
let dir: string;
let redis: RedisServer;
let fleet: Fleet;
let replicas: Replica[];
let nginx: { stop(): Promise<void> };
let url: string;

beforeAll(async () => {
  trust(certificate);
  dir = await mkdtemp(join(tmpdir(), "latchkey-compose-"));
  const { configs } = await readYaml("deploy/compose/compose.yaml");
  const file = join(dir, "redis.conf");
  await writeFile(file, configs.redis.content.replace(/\$\{REDIS_PASSWORD:.*?\}/, PASSWORD));
  redis = await startOwnRedis({ args: ["--include", file] });
  fleet = await startFleet(`redis://:${PASSWORD}@127.0.0.1:${redis.port}`);
  const ports = { balancer: await freePort(), replicas: [await freePort(), await freePort()] } as const;
  replicas = [await start(ports.replicas[0]), await start(ports.replicas[1])];
  const { kind, configure } = BALANCERS.nginx;
  nginx = await runProxy(kind, ports.balancer, (folder) => configure(folder, ports, certificate));
  url = `https://127.0.0.1:${ports.balancer}`;
}, 180_000);

afterAll(async () => {
  await nginx?.stop();
  await fleet?.close();
  await redis?.stop();
  await rm(dir, { recursive: true, force: true });
});

function start(port: number): Promise<Replica> {
  const trusted = { TRUSTED_PROXIES: "127.0.0.1", TRUSTED_PROXY_HEADER: "X-Forwarded-For" };
  return fleet.start({ PORT: String(port), OPERATOR_TOKEN, ...trusted });
}

test("a key's limit holds over both replicas, through nginx and a Redis that asks for its password", async () => {
  const [first] = replicas;
  if (first === undefined) throw new Error("there is no replica");
  const { key } = await fleet.createKey(first, { rate_limit: { requests_per_minute: 10 } });
  const responses = await Promise.all(Array.from({ length: 40 }, () => post(url, VERIFY, {}, { "x-api-key": key })));
  const count = (status: number) => responses.filter((response) => response.status === status).length;
  expect([count(200), count(429)]).toEqual([10, 30]);
  for (const { log } of replicas) expect(log().some(({ msg }) => /Redis is away/.test(String(msg)))).toBe(false);
});

test("JSON, Connect and gRPC reach the service through nginx", async () => {
  const [first] = replicas;
  if (first === undefined) throw new Error("there is no replica");
  const { key, key_id } = await fleet.createKey(first, {});
  const nodeOptions = { ca: certificate.cert };
  const headers = { "x-api-key": key };
  expect((await post(url, VERIFY, {}, headers)).json).toMatchObject({ key_id });
  for (const transport of [
    createGrpcTransport({ baseUrl: url, nodeOptions }),
    createConnectTransport({ baseUrl: url, httpVersion: "2", nodeOptions }),
    createConnectTransport({ baseUrl: url, httpVersion: "1.1", nodeOptions }),
  ]) {
    const { keyId } = await createClient(AuthService, transport).verify({}, { headers });
    expect(keyId).toBe(key_id);
  }
});

test("the log has a client's address from nginx, whatever address the client sends", async () => {
  const id = "req_of_a_client_with_an_address";
  const spoofed = { "x-forwarded-for": "203.0.113.9", forwarded: "for=203.0.113.9", "x-request-id": id };
  const { hostname, port } = new URL(url);
  const options = { hostname, port, path: VERIFY, method: "POST", headers: spoofed, localAddress: "127.0.0.2" };
  const req = request(options, (res) => res.resume()).end();
  await once(req, "close");
  const lines = () => replicas.flatMap(({ log }) => log()).filter((line) => line.request_id === id);
  await expect.poll(lines).toMatchObject([{ client_address: "127.0.0.2" }]);
});

test("metrics, probes, docs and the operator are not reachable through nginx", async () => {
  for (const path of ["/metrics", "/healthz", "/readyz", "/docs", "/openapi.json", "/auth/check", "/"]) {
    expect((await fetch(url + path)).status, path).toBe(404);
  }
  const authorization = `Bearer ${OPERATOR_TOKEN}`;
  const listed = await fetch(`${url}/api/v1/operator/tenants/list`, { method: "POST", headers: { authorization } });
  expect(listed.status).toBe(404);
  const nodeOptions = { ca: certificate.cert };
  for (const transport of [
    createGrpcTransport({ baseUrl: url, nodeOptions }),
    createConnectTransport({ baseUrl: url, httpVersion: "2", nodeOptions }),
  ]) {
    const operator = createClient(OperatorService, transport);
    await expect(operator.listTenants({}, { headers: { authorization } })).rejects.toMatchObject({ code: 12 });
  }
});
