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
import { makeCertificate, trust, writeCertificate } from "../harness/test-certificate.ts";
import { NGINX } from "../proxies/kinds.ts";
import { runProxy } from "../proxies/proxy.ts";
import { freePort } from "../servers/free-port.ts";
import { type RedisServer, startOwnRedis } from "../servers/redis.ts";
import { readText, readYaml } from "./files.ts";

// The parts of deploy/compose without Docker, which is not on every machine that runs the tests: its nginx and its Redis,
// with their configurations, and two replicas.

const PASSWORD = "a-password-of-this-test";
const OPERATOR_TOKEN = "operator-token-of-this-test-0123456789";
const VERIFY = "/api/v1/auth/verify";
const CALLERS = 16;

const certificate = makeCertificate();
const ports = { nginx: 0, "latchkey-1": 0, "latchkey-2": 0 };
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
  for (const name of ["nginx", "latchkey-1", "latchkey-2"] as const) ports[name] = await freePort();
  replicas = [await start("latchkey-1"), await start("latchkey-2")];
  nginx = await runProxy(NGINX, ports.nginx, configureNginx);
  url = `https://127.0.0.1:${ports.nginx}`;
}, 180_000);

afterAll(async () => {
  await nginx?.stop();
  await fleet?.close();
  await redis?.stop();
  await rm(dir, { recursive: true, force: true });
});

function start(name: "latchkey-1" | "latchkey-2"): Promise<Replica> {
  const trusted = { TRUSTED_PROXIES: "127.0.0.1", TRUSTED_PROXY_HEADER: "X-Forwarded-For" };
  return fleet.start({ PORT: String(ports[name]), DRAIN_SECONDS: "1", OPERATOR_TOKEN, ...trusted });
}

/** The addresses are this test's, and `resolve` is left out: Debian's nginx is from before it. */
async function configureNginx(folder: string): Promise<string> {
  const { certFile, keyFile } = await writeCertificate(folder, certificate);
  const source = await readText("deploy/compose/nginx.conf");
  return source
    .replaceAll(" /tmp/", ` ${folder}/`)
    .replaceAll(/(latchkey-[12]):8080 resolve/g, (_, name: "latchkey-1" | "latchkey-2") => `127.0.0.1:${ports[name]}`)
    .replace("listen 8443", `listen 127.0.0.1:${ports.nginx}`)
    .replace("/etc/nginx/certs/tls.crt", certFile)
    .replace("/etc/nginx/certs/tls.key", keyFile);
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

test("no verification fails while one replica is replaced after the other", async () => {
  const [first] = replicas;
  if (first === undefined) throw new Error("there is no replica");
  const { key } = await fleet.createKey(first, {});
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const outcomes = new Map<number, number>();
  let isRolling = true;
  const clients = Array.from({ length: CALLERS }, async () => {
    while (isRolling) {
      const { status } = await fetch(url + VERIFY, { method: "POST", body: "{}", headers });
      outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
    }
  });
  for (const [n, name] of (["latchkey-1", "latchkey-2"] as const).entries()) {
    expect(await replicas[n]?.end("SIGTERM")).toBe(0);
    replicas[n] = await start(name);
  }
  isRolling = false;
  await Promise.all(clients);
  expect([...outcomes.keys()]).toEqual([200]);
  expect(outcomes.get(200)).toBeGreaterThan(500);
});
