// promise: overload.unfinished, overload.bodies
import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, constants } from "node:http2";
import { connect, type Socket } from "node:net";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Authorization } from "../../gen/envoy/service/auth/v3/external_auth_pb.ts";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "../../gen/health/v1/health_pb.ts";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { protectedResource } from "../../src/domain/access/protected-resource.ts";
import { allRoutes } from "../fuzz/requests/routes.ts";
import { RESOURCE_URL } from "../fuzz/requests/service.ts";
import { EDGE_TOKEN } from "../harness/edge-token.ts";
import { OIDC } from "../harness/key-management.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { BEARER_SECRET } from "../harness/login-hook.ts";
import { NO_BOUNDS } from "../harness/no-bounds.ts";
import { scrape, sumOf } from "../harness/scrape.ts";
import { TOKEN_ISSUER } from "../harness/token-settings.ts";

const STRANGER = "127.0.0.2";
const MIB = 1_048_576;
/** Of which an address gets half. */
const REQUESTS_MAX = 8;
/** Of which callers that are not accepted get 2 MiB, and each address half of those. */
const BODY_BYTES_MAX = 8 * MIB;
/** For each path: beside those of the other paths, enough to take all places. */
const EACH = 10;
const STREAMS_MAX = 100;
const TYPES = ["application/json", "application/grpc"];
const VERIFY = "/api/v1/auth/verify";
const REPORT_LEAK = "/api/v1/api-keys/report-leak";

/** Every path of the service. The console has to be built, and its pages are served as `/` is. */
const routes = allRoutes().filter(({ name }) => name !== "/console");
const paths = routes.flatMap((route) => route.paths);

let latchkey: Latchkey;
let secret: string;
let user: Record<string, string>;
/** What a stranger may have of the tenant, or nothing. */
let shown: Record<string, string>[];
const sessions: ClientHttp2Session[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  latchkey = await startLatchkey({
    config: {
      overload: { ...NO_BOUNDS, requestsMax: REQUESTS_MAX, bodyBytesMax: BODY_BYTES_MAX },
      edgeTokens: [EDGE_TOKEN],
      identityHookSecrets: [BEARER_SECRET],
      githubKeysUrl: "http://127.0.0.1:9/",
      resource: protectedResource(RESOURCE_URL, [TOKEN_ISSUER], []),
    },
  });
  user = await latchkey.dashboard(newTenant());
  secret = (await latchkey.createKey(user, { permissions: ["plans:read"] })).key;
  const revoked = await latchkey.createKey(user);
  const fields = { keyType: "KEY_TYPE_PUBLISHABLE", publishableConfig: { oidc: OIDC } };
  const publishable = await latchkey.createKey(user, fields);
  for (const key of [secret, revoked.key, publishable.key]) await latchkey.call(VERIFY, {}, { "x-api-key": key });
  await latchkey.call("/api/v1/api-keys/revoke", { key_id: revoked.key_id }, user);
  shown = [{}, { "x-api-key": publishable.key }, { "x-api-key": revoked.key }];
});
afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  for (const socket of sockets.splice(0)) socket.destroy();
  await expect.poll(held).toEqual({ requests: 0, bytes: 0 });
});
afterAll(() => latchkey.close());

/** What the service holds. A scrape is a probe, and no request under way. */
async function held(): Promise<{ requests: number; bytes: number }> {
  const samples = await scrape(latchkey.url);
  return {
    requests: sumOf(samples, "latchkey_requests_in_flight"),
    bytes: sumOf(samples, "latchkey_request_body_bytes"),
  };
}

function connectAsStranger(): Socket {
  const { hostname: host, port } = new URL(latchkey.url);
  const socket = connect({ host, port: Number(port), localAddress: STRANGER });
  sockets.push(socket.on("error", () => {}));
  return socket;
}

function dial(): ClientHttp2Session {
  const session = connectHttp2(latchkey.url, { createConnection: connectAsStranger });
  session.on("error", () => {});
  sessions.push(session);
  return session;
}

function begin(
  session: ClientHttp2Session,
  path: string,
  headers: Record<string, string>,
  body = "",
): ClientHttp2Stream {
  const { HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH } = constants;
  const stream = session.request({ [HTTP2_HEADER_METHOD]: "POST", [HTTP2_HEADER_PATH]: path, ...headers });
  stream.on("error", () => {}).resume();
  if (body !== "") stream.write(body);
  return stream;
}

/** Resolves when the service has read all that was sent on the connections. */
async function read(): Promise<void> {
  await Promise.all(
    sessions.map(
      (session) => new Promise<void>((resolve) => (session.destroyed ? resolve() : session.ping(() => resolve()))),
    ),
  );
}

/** The first byte of a body on each path, and nothing else. `body` "": not even that. */
async function leaveUnfinished(body: string): Promise<void> {
  let session = dial();
  let begun = 0;
  for (const path of paths) {
    for (let n = 0; n < EACH; n++) {
      if (begun++ % STREAMS_MAX === STREAMS_MAX - 1) session = dial();
      begin(session, path, { "content-type": TYPES[n % TYPES.length] ?? "", ...shown[n % shown.length] }, body);
    }
  }
  await read();
  // Requests that arrive together compete for the places, and most of them are denied at once. These find what became free.
  const last = dial();
  const hold = async (): Promise<number> => {
    begin(last, REPORT_LEAK, { "content-type": "application/json" }, body);
    return (await held()).requests;
  };
  await expect.poll(hold).toBeGreaterThanOrEqual(REQUESTS_MAX / 2);
}

async function leaveUnfinishedOverHttp1(): Promise<void> {
  await Promise.all(
    paths.flatMap((path) =>
      shown.slice(0, 2).map(async (headers) => {
        const socket = connectAsStranger();
        const lines = Object.entries({
          host: "a",
          "content-type": "application/json",
          "content-length": "9",
          ...headers,
        });
        await once(socket, "connect");
        socket.write(`POST ${path} HTTP/1.1\r\n${lines.map((line) => line.join(": ")).join("\r\n")}\r\n\r\n{`);
      }),
    ),
  );
}

/** What another address gets of each kind of call: only what it asks for. */
async function expectServed(): Promise<void> {
  const key = { "x-api-key": secret };
  for (const path of ["/healthz", "/readyz", "/metrics", "/openapi.json"])
    expect((await fetch(latchkey.url + path)).status, path).toBe(200);
  for (const transport of [createGrpcTransport, createConnectTransport]) {
    const made = transport({ baseUrl: latchkey.url, httpVersion: "2" });
    const health = createClient(Health, made);
    expect((await health.check({})).status).toBe(ServingStatus.SERVING);
    const leave = new AbortController();
    const statuses = health.watch({}, { signal: leave.signal })[Symbol.asyncIterator]();
    expect((await statuses.next()).value?.status).toBe(ServingStatus.SERVING);
    leave.abort();
    await createClient(AuthService, made).verify({}, { headers: key });
  }
  const envoy = createClient(Authorization, createGrpcTransport({ baseUrl: latchkey.url }));
  const checked = await envoy.check({
    attributes: { request: { http: { headers: key } }, contextExtensions: { scope: "plans:read" } },
  });
  expect(checked.httpResponse.case).toBe("okResponse");
  expect((await latchkey.call(VERIFY, {}, key)).status).toBe(200);
  expect((await fetch(`${latchkey.url}/auth/check?scope=plans:read`, { headers: key })).status).toBe(200);
  expect((await latchkey.call("/api/v1/api-keys/list", {}, user)).status).toBe(200);
  expect((await latchkey.call(REPORT_LEAK, { reports: [{ key: "sk_unknown" }] })).status).toBe(200);
  // Their own answers, which are none of an overloaded process.
  expect((await latchkey.call("/oauth/token", {})).status).toBe(400);
  expect((await latchkey.call("/api/v1/identity/claims", {})).status).toBe(401);
}

test("the service has each path that is sent to", async () => {
  for (const { method, paths } of routes) {
    for (const path of paths) expect((await fetch(latchkey.url + path, { method })).status, path).not.toBe(404);
  }
});

describe("others get only what they ask for, and the tenant whose public and revoked keys are shown, too", () => {
  // threat: Q1
  test.each([
    ["only heads over HTTP/2", () => leaveUnfinished("")],
    ["one byte of each body over HTTP/2", () => leaveUnfinished("{")],
    ["one byte of each body over HTTP/1.1", leaveUnfinishedOverHttp1],
  ])("while an address sends %s, on every path", async (_what, attack) => {
    await attack();
    await expect.poll(async () => (await held()).requests).toBeGreaterThanOrEqual(REQUESTS_MAX / 2);
    await expectServed();
    expect((await held()).requests).toBeLessThanOrEqual(REQUESTS_MAX / 2 + 1);
  });
});

describe("while an address sends bodies without their ends", () => {
  /** Of 400 KB each, on paths that read a body before they accept a caller. */
  async function sendBodies(count: number): Promise<void> {
    const body = "x".repeat(400_000);
    for (let n = 0; n < count; n++) begin(dial(), REPORT_LEAK, { "content-type": "application/json" }, body);
    await read();
  }

  // threat: Q1
  test("the service holds a part of them, and others' bodies are read", async () => {
    await sendBodies(REQUESTS_MAX);
    await expect.poll(async () => (await held()).bytes).toBeGreaterThan(MIB / 2);
    await expectServed();
    const { hostname, port } = new URL(latchkey.url);
    const socket = connect(Number(port), hostname).setEncoding("utf8");
    sockets.push(socket);
    const half = "x".repeat(200_000);
    socket.write(
      `POST ${REPORT_LEAK} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 400000\r\n\r\n`,
    );
    socket.write(half, () => socket.write(half));
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1.1 400 /);
    expect((await held()).bytes).toBeLessThanOrEqual(MIB);
  });

  test("those beyond its part are 503 with Retry-After", async () => {
    await sendBodies(2);
    await expect.poll(async () => (await held()).bytes).toBeGreaterThan(MIB / 2);
    const stream = begin(dial(), REPORT_LEAK, { "content-type": "application/json" }, "x".repeat(900_000));
    const [headers] = await once(stream, "response");
    expect([headers[":status"], headers["retry-after"]]).toEqual([503, "1"]);
  });
});
