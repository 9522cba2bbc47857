import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { Health } from "../../gen/health/v1/health_pb.ts";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { type CollectedSpan, type Collector, startCollector } from "../harness/collector.ts";
import { postHttp2 } from "../harness/http2-client.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";
import { tracingTo } from "../harness/tracing-config.ts";

const VERIFY = "/api/v1/auth/verify";
const LIST = "/api/v1/api-keys/list";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

let collector: Collector;
let latchkey: Latchkey;

beforeAll(async () => {
  collector = await startCollector();
  latchkey = await startLatchkey({ config: { tracing: tracingTo(collector.url) } });
});
afterAll(async () => {
  await latchkey.close();
  await collector.close();
});

/** The one span of a request, by the id of the request. */
async function spanOf(requestId: unknown): Promise<CollectedSpan> {
  const found = () => collector.spans.filter(({ attributes }) => attributes["latchkey.request_id"] === requestId);
  await expect.poll(found).toHaveLength(1);
  const [span] = found();
  if (span === undefined) throw new Error("no span");
  return span;
}

async function spanOfCall(path: string, body: unknown, headers: Record<string, string>): Promise<CollectedSpan> {
  const answer = await latchkey.call(path, body, headers);
  return spanOf(answer.headers.get("x-request-id"));
}

function lineOf(requestId: unknown): Record<string, unknown> {
  return latchkey.logLines.map((line) => JSON.parse(line)).find((line) => line.request_id === requestId);
}

test("an answered request is one span of its caller's trace", async () => {
  const tenant = newTenant();
  const key = await latchkey.createKey(await latchkey.dashboard(tenant));
  const context = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: "vendor=1" };
  // The wall clock stands: a machine may set it at any time.
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const nowMs = Date.now();
  const startedMs = performance.now();
  await latchkey.call(`${VERIFY}?`, {}, { "x-api-key": key.key, ...context, "x-request-id": "mine" });
  const tookMs = performance.now() - startedMs;
  const span = await spanOf("mine");
  expect(span).toEqual({
    traceId: TRACE,
    parentSpanId: PARENT,
    traceState: "vendor=1",
    name: "latchkey.v1.AuthService/Verify",
    kind: "SERVER",
    startMs: expect.any(Number),
    endMs: expect.any(Number),
    isError: false,
    attributes: {
      "http.request.method": "POST",
      "http.response.status_code": 200,
      "client.address": "127.0.0.1",
      "url.path": VERIFY,
      "rpc.system.name": "connectrpc",
      "rpc.method": "latchkey.v1.AuthService/Verify",
      "latchkey.request_id": "mine",
      "latchkey.caller": "secret_key",
      "latchkey.tenant_id": tenant,
      "latchkey.key_id": key.key_id,
    },
    resource: expect.objectContaining({ "service.name": "latchkey", "telemetry.sdk.language": "nodejs" }),
  });
  expect(Math.round(span.endMs)).toBe(nowMs);
  expect(span.startMs).toBeLessThan(nowMs);
  expect(span.startMs).toBeGreaterThan(nowMs - tookMs - 1);
  expect(lineOf("mine").trace_id).toBe(TRACE);
});

test("a request without a trace begins one, and its log line has the id", async () => {
  const span = await spanOfCall(LIST, {}, await latchkey.dashboard());
  expect(span).toMatchObject({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/), parentSpanId: "" });
  expect(span.attributes).toMatchObject({ "latchkey.caller": "dashboard_user" });
  expect(lineOf(span.attributes["latchkey.request_id"]).trace_id).toBe(span.traceId);
});

test("over HTTP/2 and by gRPC a request is a span of its caller's trace, too", async () => {
  const { key } = await latchkey.createKey(await latchkey.dashboard());
  const headers = { "x-api-key": key, traceparent: `00-${TRACE}-${PARENT}-01` };
  const plain = await postHttp2(latchkey.url, VERIFY, {}, headers);
  expect(await spanOf(plain.headers["x-request-id"])).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });

  const client = createClient(AuthService, createGrpcTransport({ baseUrl: latchkey.url }));
  await client.verify({}, { headers: { ...headers, "x-request-id": "by-grpc" } });
  const span = await spanOf("by-grpc");
  expect(span).toMatchObject({ traceId: TRACE, name: "latchkey.v1.AuthService/Verify" });
  expect(span.attributes).toMatchObject({
    "rpc.system.name": "grpc",
    "url.path": "/latchkey.v1.AuthService/Verify",
  });
});

test("a denial has its reason as an attribute, and is not an error", async () => {
  const tenant = newTenant();
  const dashboard = await latchkey.dashboard(tenant);
  expect(await spanOfCall(VERIFY, {}, { "x-api-key": `sk_${"a".repeat(36)}` })).toMatchObject({
    isError: false,
    attributes: { "http.response.status_code": 401, "latchkey.denial_reason": "api_key_not_found" },
  });
  const { key, key_id } = await latchkey.createKey(dashboard, { rate_limit: { requests_per_minute: 1 } });
  await latchkey.call(VERIFY, {}, { "x-api-key": key });
  expect(await spanOfCall(VERIFY, {}, { "x-api-key": key })).toMatchObject({
    isError: false,
    attributes: {
      "http.response.status_code": 429,
      "latchkey.denial_reason": "rate_limited",
      "latchkey.tenant_id": tenant,
      "latchkey.key_id": key_id,
    },
  });
});

test("an answer of 5xx is an error", async () => {
  const expectation = {
    issuer: "i",
    jwksUrl: "http://127.0.0.1:9/",
    audience: "a",
    jwksOwner: { kind: "operator" },
  } as const;
  const dashboard = { expectation, userIdClaim: "sub", tenantClaim: "tenant_id", requiredClaims: {} };
  const faulty = await startLatchkey({ config: { tracing: tracingTo(collector.url), dashboard } });
  try {
    const answer = await faulty.call(
      LIST,
      {},
      { authorization: `Bearer ${await latchkey.dashboardToken({ iss: "i", aud: "a" })}` },
    );
    expect(answer.status).toBe(500);
    expect(await spanOf(answer.headers.get("x-request-id"))).toMatchObject({
      isError: true,
      attributes: {
        "http.response.status_code": 500,
        "error.type": "internal",
        "latchkey.denial_reason": "verifier_error",
      },
    });
  } finally {
    await faulty.close();
  }
});

test("a request for no RPC is named by its method, and one that no handler sees is a span, too", async () => {
  const unknown = await spanOfCall("/v2/nothing/here", {}, {});
  expect(unknown).toMatchObject({ name: "POST", attributes: { "url.path": "/v2/nothing/here" } });
  expect(unknown.attributes).not.toHaveProperty(["rpc.method"]);

  const check = await spanOfCall("/auth/check?scope=plans:read", {}, {});
  expect(check).toMatchObject({
    name: "auth/check",
    attributes: { "http.route": "/auth/check", "url.path": "/auth/check" },
  });
  expect(check.attributes).not.toHaveProperty(["rpc.method"]);

  const [, id] = /^x-request-id: (\S+)\r$/im.exec(await sendRaw(latchkey.url, "NOPE\r\n\r\n")) ?? [];
  expect(await spanOf(id)).toMatchObject({
    name: "HTTP",
    attributes: { "http.request.method": "_OTHER", "http.response.status_code": 400 },
  });
});

test("a request whose caller's trace is not sampled has no span, but its log line has the trace id", async () => {
  const headers = { traceparent: `00-${TRACE}-${PARENT}-00`, "x-request-id": "unsampled" };
  await latchkey.call(LIST, {}, headers);
  await spanOfCall(LIST, {}, {});
  expect(collector.spans.filter(({ attributes }) => attributes["latchkey.request_id"] === "unsampled")).toEqual([]);
  expect(lineOf("unsampled").trace_id).toBe(TRACE);
});

test("probes make no spans", async () => {
  const ids = ["/healthz", "/readyz?x", "/metrics"].map(async (path) =>
    (await fetch(latchkey.url + path)).headers.get("x-request-id"),
  );
  const probed = await Promise.all(ids);
  const health = createClient(Health, createGrpcTransport({ baseUrl: latchkey.url }));
  await health.check({}, { headers: { "x-request-id": "checked" } });
  await spanOfCall(LIST, {}, {});
  const spans = collector.spans.filter(({ attributes }) =>
    [...probed, "checked"].includes(String(attributes["latchkey.request_id"])),
  );
  expect(spans).toEqual([]);
});

// threat: H4
test("no exported span contains a credential, a query, a body or a user's id", async () => {
  const tenant = newTenant();
  const { key } = await latchkey.createKey(await latchkey.dashboard(tenant), {
    name: "name-of-the-key",
    permissions: ["conversations:*", "users:impersonate"],
  });
  const token = await latchkey.dashboardToken({ tenant_id: tenant, sub: "user-of-a-token" });
  const headers = {
    "x-api-key": key,
    "x-on-behalf-of": "user-of-a-key",
    tracestate: `a=${key}`,
    "user-agent": "agent-x",
  };
  const traceparent = `00-${TRACE}-${PARENT}-01`;
  await latchkey.call(`${VERIFY}?key=${key}&q=in-the-query`, {}, { ...headers, traceparent });
  await latchkey.call(`/${key}/${token}?${token}`, { text: "in-the-body" }, { authorization: `Bearer ${token}` });
  await latchkey.call(LIST, { cursor: "in-the-body" }, { authorization: `Bearer ${token}` });
  await postHttp2(latchkey.url, LIST, {}, { ":method": key });
  await spanOfCall(LIST, {}, { "x-request-id": key });
  for (const secret of [key, ...token.split("."), "in-the-query", "in-the-body", "user-of", "name-of", "agent-x"]) {
    expect(collector.text()).not.toContain(secret);
  }
  expect(collector.text()).toContain(tenant);
});
