// promise: errors.retry-after
import { readFile } from "node:fs/promises";
import { type DescMethodUnary, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.ts";
import { Health } from "../../gen/health/v1/health_pb.ts";
import { ApiKeyService } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import { GatewayService } from "../../gen/latchkey/v1/gateway_service_pb.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { type CollectedSpan, type Collector, startCollector } from "../harness/collector.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";
import { requestCounts, selected } from "../harness/request-metrics.ts";
import { tracingTo } from "../harness/tracing-config.ts";

type Headers = Readonly<Record<string, string>>;
type Rpc = "list" | "update" | "state";

const RPCS: Readonly<Record<Rpc, { readonly method: DescMethodUnary; readonly path: string }>> = {
  list: { method: ApiKeyService.method.listApiKeys, path: "/api/v1/api-keys/list" },
  update: { method: ApiKeyService.method.updateApiKey, path: "/api/v1/api-keys/update" },
  state: {
    method: GatewayService.method.getConversationState,
    path: "/api/v1/llm/gateway/get-conversation-state",
  },
};
/** Counts the ids that the calls here bring along. */
let requests = 0;

let database: SqlDatabase;
let collector: Collector;
let latchkey: Latchkey;

beforeAll(async () => {
  collector = await startCollector();
  database = await openDatabase({ kind: "embedded", dataDir: "memory://" });
  latchkey = await startLatchkey({ config: { tracing: tracingTo(collector.url) }, database });
});
afterAll(async () => {
  await latchkey.close();
  await collector.close();
});

/** What a client sees of how its call ended. */
interface Seen {
  readonly code: string;
  readonly retryAfter: string | null;
}

interface Protocol {
  readonly name: string;
  readonly system: "connectrpc" | "grpc";
  call(rpc: Rpc, body: JsonValue, headers: Headers): Promise<Seen>;
}

const overTransport = (
  name: string,
  system: Protocol["system"],
  make: (baseUrl: string) => Transport,
  timeoutMs?: number,
): Protocol => ({
  name,
  system,
  async call(rpc, body, headers) {
    const { method } = RPCS[rpc];
    try {
      await make(latchkey.url).unary(method, undefined, timeoutMs, headers, fromJson(method.input, body));
      return { code: "ok", retryAfter: null };
    } catch (err) {
      const { code, metadata } = ConnectError.from(err);
      return { code: codeToString(code), retryAfter: metadata.get("retry-after") };
    }
  },
});

const PROTOCOLS: readonly Protocol[] = [
  {
    name: "a plain POST of JSON",
    system: "connectrpc",
    async call(rpc, body, headers) {
      const answer = await latchkey.call(RPCS[rpc].path, body, headers);
      const code = answer.status === 200 ? "ok" : answer.json.code;
      return { code, retryAfter: answer.headers.get("retry-after") };
    },
  },
  overTransport("Connect in JSON", "connectrpc", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })),
  overTransport(
    "Connect in binary with a time limit",
    "connectrpc",
    (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat: true }),
    30_000,
  ),
  overTransport("gRPC", "grpc", (baseUrl) => createGrpcTransport({ baseUrl })),
  overTransport("gRPC-Web in binary", "grpc", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })),
  overTransport("gRPC-Web in JSON", "grpc", (baseUrl) =>
    createGrpcWebTransport({ baseUrl, httpVersion: "2", useBinaryFormat: false }),
  ),
];

interface Call {
  readonly rpc: Rpc;
  readonly body: JsonValue;
  readonly headers: Headers;
}

interface Case {
  readonly what: string;
  readonly code: string;
  readonly reason?: string;
  readonly isFault?: true;
  /** Seconds; left out: none. */
  readonly retryAfter?: string | RegExp;
  prepare(): Promise<Call>;
}

async function withKey(fields: Record<string, unknown>, rpc: Rpc, body: JsonValue = {}): Promise<Call> {
  const { key } = await latchkey.createKey(await latchkey.dashboard(), fields);
  return { rpc, body, headers: { "x-api-key": key } };
}

const CASES: readonly Case[] = [
  {
    what: "a call that succeeds",
    code: "ok",
    prepare: async () => ({ rpc: "list", body: {}, headers: await latchkey.dashboard() }),
  },
  {
    what: "no credentials",
    code: "unauthenticated",
    reason: "missing_credentials",
    prepare: async () => ({ rpc: "list", body: {}, headers: {} }),
  },
  {
    what: "a key that may not do it",
    code: "permission_denied",
    reason: "insufficient_scope",
    prepare: () => withKey({}, "list"),
  },
  {
    what: "an exhausted limit",
    code: "resource_exhausted",
    reason: "rate_limited",
    retryAfter: /^[1-9]\d?$/,
    async prepare() {
      const call = await withKey({ rate_limit: { requests_per_minute: 1 } }, "state", { conversation_key: "none" });
      await latchkey.call(RPCS.state.path, call.body, call.headers);
      return call;
    },
  },
  {
    what: "a body beyond the limit",
    code: "resource_exhausted",
    prepare: () => withKey({}, "state", { conversation_key: "a".repeat(1_100_000) }),
  },
  {
    what: "a member that the schema forbids",
    code: "invalid_argument",
    prepare: () => withKey({}, "state", { conversation_key: "a\0b" }),
  },
  {
    what: "a conversation that is not there",
    code: "not_found",
    prepare: () => withKey({}, "state", { conversation_key: "none" }),
  },
  {
    what: "a state that forbids it",
    code: "failed_precondition",
    async prepare() {
      const headers = await latchkey.dashboard();
      const { key_id } = await latchkey.createKey(headers);
      await latchkey.call("/api/v1/api-keys/revoke", { key_id }, headers);
      return { rpc: "update", body: { key_id, name: "new", update_mask: "name" }, headers };
    },
  },
  {
    what: "a publishable key that lacks its configuration",
    code: "internal",
    reason: "misconfigured_publishable_key",
    isFault: true,
    prepare: () => withKey({ keyType: "KEY_TYPE_PUBLISHABLE" }, "state", { conversation_key: "none" }),
  },
];

/** In the order in which they are made; the storage is closed before these. */
const OUTAGES: readonly Case[] = [
  {
    what: "an unavailable storage",
    code: "unavailable",
    isFault: true,
    retryAfter: "1",
    prepare: async () => ({ rpc: "list", body: {}, headers: await latchkey.dashboard(KNOWN_TENANT) }),
  },
  {
    what: "an unavailable storage at a key's look-up",
    code: "internal",
    reason: "verifier_error",
    isFault: true,
    retryAfter: "1",
    prepare: async () => ({ rpc: "state", body: { conversation_key: "none" }, headers: { "x-api-key": UNKNOWN_KEY } }),
  },
];
/** Whether it is suspended is cached, and so are the memberships of its user. */
const KNOWN_TENANT = "ten_known";
/** With its checksum, so that it is looked up. */
const UNKNOWN_KEY = `sk_${"0".repeat(30)}4LUZwA`;

function lineOf(requestId: string): Record<string, unknown> {
  return latchkey.logLines.map((line) => JSON.parse(line)).find((line) => line.request_id === requestId);
}

async function spanOf(requestId: string): Promise<CollectedSpan> {
  const found = () => collector.spans.find(({ attributes }) => attributes["latchkey.request_id"] === requestId);
  await expect.poll(found, { timeout: 10_000 }).toBeDefined();
  const span = found();
  if (span === undefined) throw new Error("no span");
  return span;
}

/** Makes a call and holds what is reported of it against what its client saw. */
async function check({ call, name, system }: Protocol, expected: Case): Promise<void> {
  const { code, reason = "", isFault, retryAfter = null, prepare } = expected;
  const { rpc, body, headers } = await prepare();
  const requestId = `req-${++requests}`;
  const { method } = RPCS[rpc];
  const procedure = `${method.parent.typeName}/${method.name}`;
  const labels = `procedure="${procedure}",code="${code}",denial_reason="${reason}"`;
  const before = selected(await requestCounts(latchkey.url), labels);

  const seen = await call(rpc, body, { ...headers, "x-request-id": requestId });
  expect(seen.code, name).toBe(code);
  expect(seen.retryAfter).toEqual(retryAfter instanceof RegExp ? expect.stringMatching(retryAfter) : retryAfter);

  expect(selected(await requestCounts(latchkey.url), labels)).toBe(before + 1);
  const line = lineOf(requestId);
  expect(line).toMatchObject({ procedure, code });
  expect(line.denial_reason ?? "").toBe(reason);
  const { attributes, isError } = await spanOf(requestId);
  const reported = system === "grpc" ? code.toUpperCase() : code;
  const statusCode = reported === "ok" ? undefined : reported;
  expect(attributes).toMatchObject({ "rpc.system.name": system, "rpc.method": procedure });
  expect(attributes["rpc.status_code"]).toBe(statusCode);
  expect(attributes["rpc.response.status_code"]).toBe(statusCode);
  expect(attributes["latchkey.denial_reason"] ?? "").toBe(reason);
  expect({ isError, type: attributes["error.type"] }).toEqual({ isError: isFault === true, type: isFault && reported });
}

describe.each(PROTOCOLS)("by $name", (protocol) => {
  test.each(CASES)("$what is reported as $code in the metric, the log and the span", (each) => check(protocol, each));
});

/** The code of the latest line of a procedure. */
function latestCode(procedure: string): unknown {
  return latchkey.logLines
    .map((line) => JSON.parse(line))
    .filter((line) => line.procedure === procedure)
    .at(-1)?.code;
}

describe("a stream is reported with the code by which it ended", () => {
  const WATCH = `${Health.typeName}/Watch`;
  const ASK = `${ServerReflection.typeName}/ServerReflectionInfo`;
  const TRANSPORTS: readonly (readonly [string, (baseUrl: string) => Transport])[] = [
    ["gRPC", (baseUrl) => createGrpcTransport({ baseUrl })],
    ["gRPC-Web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "2" })],
    ["Connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" })],
  ];

  test.each(TRANSPORTS)("by %s", async (_name, make) => {
    const transport = make(latchkey.url);
    async function* ask() {
      yield { messageRequest: { case: "listServices" as const, value: "" } };
    }
    for await (const _reply of createClient(ServerReflection, transport).serverReflectionInfo(ask()));
    await expect.poll(() => latestCode(ASK)).toBe("ok");

    const leave = new AbortController();
    const watching = createClient(Health, transport).watch({}, { signal: leave.signal })[Symbol.asyncIterator]();
    await watching.next();
    leave.abort();
    await watching.next().catch(() => {});
    await expect.poll(() => latestCode(WATCH), { timeout: 10_000 }).toBe("canceled");

    const long = createClient(Health, transport)
      .watch({ service: "x".repeat(20_000) })
      [Symbol.asyncIterator]();
    const err = await long.next().then(() => undefined, ConnectError.from);
    expect(err?.code).toBe(Code.ResourceExhausted);
    await expect.poll(() => latestCode(WATCH)).toBe("resource_exhausted");
  });
});

describe("a request for no RPC is reported with the code of its body", () => {
  test.each([
    ["POST /v2/nothing HTTP/1.1\r\nHost: x", "not_found"],
    ["GET /api/v1/api-keys/list HTTP/1.1\r\nHost: x", "unimplemented"],
    ["POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 0", "unimplemented"],
    ["POST /api/v1/api-keys/list HTTP/1.1\r\nHost: [", "invalid_argument"],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}`, "resource_exhausted"],
    ["GET / HTTP/0.9\r\nHost: x", "unimplemented"],
    ["NOPE", "invalid_argument"],
    ["GET /auth/check HTTP/1.1\r\nHost: x", "unauthenticated"],
    ["GET /healthz HTTP/1.1\r\nHost: x", "ok"],
    ["GET /openapi.json HTTP/1.1\r\nHost: x", "ok"],
    ["OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: https://x.example\r\nAccess-Control-Request-Method: POST", "ok"],
  ])("%j: %s", async (head, code) => {
    const answer = await sendRaw(latchkey.url, `${head}\r\nConnection: close\r\n\r\n`);
    const [, requestId = ""] = /^x-request-id: (\S+)\r$/im.exec(answer) ?? [];
    const [, said = "ok"] = /\r\n\r\n\{"code":"(\w+)"/.exec(answer) ?? [];
    expect(said).toBe(code);
    expect(lineOf(requestId)).toMatchObject({ code });
    const labels = Object.entries(lineOf(requestId))
      .filter(([name]) => ["procedure", "status", "code"].includes(name))
      .map(([name, value]) => `${name}="${value}"`)
      .join();
    expect(selected(await requestCounts(latchkey.url), labels)).toBeGreaterThan(0);
  });
});

describe("while the storage is unavailable", () => {
  beforeAll(async () => {
    await latchkey.call("/api/v1/api-keys/list", {}, await latchkey.dashboard(KNOWN_TENANT));
    await database.close();
  });

  test.each(PROTOCOLS.flatMap((protocol) => OUTAGES.map((each) => [each.what, each.code, protocol, each] as const)))(
    "%s is reported as %s by $name",
    (_what, _code, protocol, each) => check(protocol, each),
  );

  test("/readyz is unavailable", async () => {
    const answer = await fetch(`${latchkey.url}/readyz`);
    expect(lineOf(answer.headers.get("x-request-id") ?? "")).toMatchObject({ status: 503, code: "unavailable" });
  });
});

test("the documented expression for the error rate counts the faults of every protocol and no other answer", async () => {
  const page = await readFile(new URL("../../docs/monitoring.md", import.meta.url), "utf8");
  const [, expression = ""] = /```promql\n(.*?)```/s.exec(page) ?? [];
  const [faults = "", all = ""] = Array.from(
    expression.matchAll(/_seconds_count\{([^}]*)\}/g),
    ([, found = ""]) => found,
  );
  const counts = await requestCounts(latchkey.url);
  const faulty = [...CASES, ...OUTAGES].filter(({ isFault }) => isFault).length * PROTOCOLS.length;
  expect(selected(counts, faults)).toBe(faulty);
  const calls = selected(counts, 'procedure=~"latchkey.v1.*"') + selected(counts, 'procedure="auth/check"');
  expect(selected(counts, all)).toBe(calls);
  expect(calls).toBeGreaterThan(faulty);
});
