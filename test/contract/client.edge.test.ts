// promise: edges.lease, edges.guards
import { createServer, type Server } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { fastify } from "fastify";
import { Hono } from "hono";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { createGuard as createExpressGuard } from "../../clients/typescript/src/server/express.ts";
import { latchkey as plugin } from "../../clients/typescript/src/server/fastify.ts";
import { createGuard as createHonoGuard } from "../../clients/typescript/src/server/hono.ts";
import {
  callerOf,
  createGuard,
  type EdgeOptions,
  type Guard,
  type GuardOptions,
} from "../../clients/typescript/src/server/index.ts";
import { createGuard as createNextGuard } from "../../clients/typescript/src/server/next.ts";
import { EDGE_TOKEN } from "../harness/edges.ts";
import { startGuarded } from "../harness/guarded-connect.ts";
import { type Latchkey, sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { compile } from "../openapi/compile.ts";

let latchkey: Latchkey;
let user: Record<string, string>;

beforeAll(async () => {
  latchkey = await sharedLatchkey({ edgeTokens: [EDGE_TOKEN] });
  user = await latchkey.dashboard();
});

/** A guard with an edge, which is closed after the test. It may decide. */
async function withEdge(options: Partial<GuardOptions> = {}): Promise<Guard> {
  const guard = createGuard({ baseUrl: latchkey.url, edge: { token: EDGE_TOKEN }, ...options });
  onTestFinished(() => guard.edge?.close());
  await expect.poll(() => guard.edge?.leaseMs).toBeGreaterThan(0);
  return guard;
}

const answerOf = async (guard: Guard, headers: Record<string, string>, scopes: readonly string[] = []) => {
  const guarded = guard.fetch(scopes, (_, caller) => Response.json(caller));
  const response = await guarded(new Request("http://plans.example/", { headers }));
  const answered = new Headers(response.headers);
  answered.delete("x-request-id");
  // Of a key without a limit, and of one that is refused: the present second. The service's clock stands, an edge's goes on.
  if (answered.has("x-ratelimit-reset")) answered.set("x-ratelimit-reset", "now");
  const { request_id: _, ...body } = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: Object.fromEntries(answered), body };
};

test("a guard with an edge answers as one without, and asks nothing but what an edge does not decide", async () => {
  const [guard, plain] = [await withEdge(), createGuard({ baseUrl: latchkey.url })];
  const known = await latchkey.createKey(user);
  const revoked = await latchkey.createKey(user);
  await latchkey.call("/api/v1/api-keys/revoke", { key_id: revoked.key_id }, user);
  const calls: [Record<string, string>, string[]][] = [
    [{ "x-api-key": known.key }, ["conversations:read"]],
    [{ "x-api-key": known.key }, ["plans:read"]],
    [{ "x-api-key": revoked.key }, []],
    [{ "x-api-key": "sk_unknown" }, []],
    [{ "x-api-key": known.key, authorization: "Basic x" }, []],
  ];
  for (const [headers, scopes] of calls)
    expect(await answerOf(guard, headers, scopes)).toEqual(await answerOf(plain, headers, scopes));
  expect(guard.edge).toMatchObject({ decided: calls.length, asked: 0 });
  for (const headers of [user, {}]) expect(await answerOf(guard, headers)).toEqual(await answerOf(plain, headers));
  expect(guard.edge).toMatchObject({ decided: calls.length, asked: 2, isConnected: true, problem: undefined });
});

test("a key that was revoked is denied by a handler of Node from the answer on", async () => {
  const guard = await withEdge();
  const { key, key_id } = await latchkey.createKey(user, { rate_limit: { requests_per_minute: 1_000 } });
  const handler = guard.node([]);
  const server = createServer((req, res) => handler(req, res, () => res.end(callerOf(req).keyId)));
  const url = await listening(server);
  const call = () => fetch(url, { headers: { "x-api-key": key } });
  const admitted = await call();
  expect([admitted.status, await admitted.text()]).toEqual([200, key_id]);
  expect(admitted.headers.get("x-ratelimit-limit")).toBe("1000");
  await latchkey.call("/api/v1/api-keys/revoke", { key_id }, user);
  const denied = await call();
  expect(denied.status).toBe(401);
  expect(await denied.json()).toMatchObject({ reason: "api_key_revoked" });
});

test("a guard of Connect services answers as one without an edge", async () => {
  const { services } = await compile(`message Plan {}
    service Plans { rpc Get(Plan) returns (Plan) {
      option (latchkey.v1.policy) = { callers: [CALLER_SECRET_KEY] scope: "conversations:read" };
    } }`);
  const guards = [await withEdge(), createGuard({ baseUrl: latchkey.url })];
  const [edged, plain] = await Promise.all(guards.map((guard) => startGuarded(guard, services, { get: () => ({}) })));
  onTestFinished(async () => void (await Promise.all([edged?.close(), plain?.close()])));
  const { key } = await latchkey.createKey(user);
  const narrow = await latchkey.createKey(user, { permissions: ["plans:read"] });
  for (const [apiKey, status] of [
    [key, 200],
    [narrow.key, 403],
    ["sk_unknown", 401],
  ] as const) {
    const ask = async (guarded: typeof edged) => {
      const answer = await guarded?.call("/small.v1.Plans/Get", { "x-api-key": String(apiKey) });
      return [answer?.status, answer?.headers.get("x-ratelimit-limit"), answer?.json];
    };
    const answer = await ask(edged);
    expect(answer[0]).toBe(status);
    expect(answer).toEqual(await ask(plain));
  }
  expect(guards[0]?.edge).toMatchObject({ decided: 3, asked: 0 });
});

test.each([
  ["Express", createExpressGuard],
  ["Hono", createHonoGuard],
  ["Next.js", createNextGuard],
])("the guard of %s has its edge, which ends once", async (_name, create) => {
  const { edge } = create({ baseUrl: latchkey.url, edge: { token: EDGE_TOKEN } });
  await expect.poll(() => edge?.leaseMs).toBeGreaterThan(0);
  await Promise.all([edge?.close(), edge?.close()]);
  expect(edge).toMatchObject({ isConnected: false, leaseMs: 0 });
  expect(create({ baseUrl: latchkey.url }).edge).toBeUndefined();
});

test("the guard of Hono decides by its edge", async () => {
  const guard = createHonoGuard({ baseUrl: latchkey.url, edge: { token: EDGE_TOKEN } });
  onTestFinished(() => guard.edge?.close());
  await expect.poll(() => guard.edge?.leaseMs).toBeGreaterThan(0);
  const app = new Hono().get("/", guard("conversations:read"), (c) => c.text(c.var.caller.keyId ?? ""));
  const { key, key_id } = await latchkey.createKey(user);
  expect(await (await app.request("/", { headers: { "x-api-key": key } })).text()).toBe(key_id);
  expect(guard.edge).toMatchObject({ decided: 1, asked: 0 });
});

test("the plugin of Fastify has its edge, which ends with the app", async () => {
  const app = fastify();
  await app.register(plugin, { baseUrl: latchkey.url, edge: { token: EDGE_TOKEN }, scopes: "conversations:read" });
  app.get("/", (request) => request.caller.keyId);
  const { edge } = app.requireScopes;
  await expect.poll(() => edge?.leaseMs).toBeGreaterThan(0);
  const { key, key_id } = await latchkey.createKey(user);
  expect((await app.inject({ url: "/", headers: { "x-api-key": key } })).body).toBe(key_id);
  expect(edge).toMatchObject({ decided: 1, asked: 0 });
  await app.close();
  expect(edge).toMatchObject({ isConnected: false });
});

test("a guard whose edge was closed asks the service", async () => {
  const guard = await withEdge();
  await guard.edge?.close();
  const { key } = await latchkey.createKey(user);
  expect(await answerOf(guard, { "x-api-key": key })).toMatchObject({ status: 200 });
  expect(guard.edge).toMatchObject({ decided: 0, asked: 1, isConnected: false });
});

test("a resource's challenge is in the refusals of an edge, too", async () => {
  const resource = { url: "https://plans.example/mcp", authorizationServers: ["https://idp.example"] };
  const [guard, plain] = [await withEdge({ resource }), createGuard({ baseUrl: latchkey.url, resource })];
  const answer = await answerOf(guard, { "x-api-key": "sk_unknown" });
  expect(answer.headers["www-authenticate"]).toContain("resource_metadata=");
  expect(answer).toEqual(await answerOf(plain, { "x-api-key": "sk_unknown" }));
  expect(guard.edge).toMatchObject({ decided: 1 });
});

test("a reason for which an edge cannot follow is reported once, however often it tries", async () => {
  let attempts = 0;
  const refusing = createHttp2Server();
  refusing.on("stream", (stream) => {
    attempts += 1;
    stream.on("error", () => {});
    const trailers = { "grpc-status": "16", "grpc-message": "another token" };
    stream.respond({ ":status": 200, "content-type": "application/grpc+proto", ...trailers }, { endStream: true });
  });
  await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void refusing.close());
  const baseUrl = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
  const reasons: unknown[] = [];
  const guard = createGuard({
    baseUrl: latchkey.url,
    edge: { token: EDGE_TOKEN, baseUrl },
    onError: (err) => void reasons.push(err),
  });
  onTestFinished(() => guard.edge?.close());
  await expect.poll(() => attempts, { timeout: 30_000 }).toBeGreaterThan(2);
  expect(reasons.map(String)).toEqual([expect.stringContaining("another token")]);
});

test("without an edge its status is absent", () => {
  expect(createGuard({ baseUrl: latchkey.url }).edge).toBeUndefined();
});

test("with a wrong token the guard asks the service, and says why", async () => {
  const reasons: unknown[] = [];
  const guard = createGuard({
    baseUrl: latchkey.url,
    edge: { token: "x".repeat(32) },
    onError: (err) => void reasons.push(err),
  });
  onTestFinished(() => guard.edge?.close());
  await expect.poll(() => reasons.join()).toContain("EDGE_TOKEN");
  const { key } = await latchkey.createKey(user);
  expect(await answerOf(guard, { "x-api-key": key })).toMatchObject({ status: 200 });
  expect(guard.edge).toMatchObject({ isConnected: false, decided: 0 });
});

test("where the service is away an edge decides until its lease ends, and then the guard refuses", async () => {
  const own = await startLatchkey({ config: { edgeTokens: [EDGE_TOKEN] } });
  const { key } = await own.createKey(await own.dashboard());
  const guard = await withEdge({ baseUrl: own.url, onError: () => {} });
  expect(await answerOf(guard, { "x-api-key": key })).toMatchObject({ status: 200 });
  await own.close();
  await expect.poll(() => guard.edge?.leaseMs).toBe(0);
  expect(await answerOf(guard, { "x-api-key": key })).toMatchObject({
    status: 503,
    body: { code: "unavailable", reason: "verifier_error" },
  });
});

test("an edge follows the admin port, where the service has one", async () => {
  const own = await startLatchkey({ config: { edgeTokens: [EDGE_TOKEN], adminPort: 0 } });
  onTestFinished(() => own.close());
  const { key } = await own.createKey(await own.dashboard());
  const guard = await withEdge({ baseUrl: own.url, edge: { token: EDGE_TOKEN, baseUrl: own.adminUrl } });
  expect(await answerOf(guard, { "x-api-key": key })).toMatchObject({ status: 200 });
  expect(guard.edge).toMatchObject({ decided: 1 });
});

test.each([
  [{ token: "short" }, "edge.token must be one of the service's EDGE_TOKEN"],
  [{ token: `${"x".repeat(40)} y` }, "edge.token must be one of the service's EDGE_TOKEN"],
  [{}, "edge.token must be one of the service's EDGE_TOKEN"],
  [null, "edge must be an object, not null"],
  [{ token: EDGE_TOKEN, url: "http://x" }, "edge.url: is unknown"],
  [{ token: EDGE_TOKEN, baseUrl: "http://far.example" }, "edge.baseUrl must begin with https://"],
])("options that no edge could follow with are a TypeError at once: %j", (edge, problem) => {
  // What plain JavaScript may give.
  const make = () => createGuard({ baseUrl: latchkey.url, edge: edge as EdgeOptions });
  expect(make).toThrow(TypeError);
  expect(make).toThrow(problem);
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
