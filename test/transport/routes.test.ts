// promise: bodies.size, paths.exact, paths.probes
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import document from "../../gen/openapi.json" with { type: "json" };
import { createErrorReporter, createErrorTranslator } from "../../src/interceptors/errors.ts";
import { createAccessLog } from "../../src/observability/log/access-log.ts";
import { createCors } from "../../src/transport/answer/cors.ts";
import { createConsole } from "../../src/transport/endpoints/console.ts";
import { createEndpoints } from "../../src/transport/endpoints/endpoints.ts";
import { ENVOY_CHECK } from "../../src/transport/endpoints/envoy-check.ts";
import { createReadiness } from "../../src/transport/endpoints/probes.ts";
import { createOpenHandlers } from "../../src/transport/grpc/open-services.ts";
import { createHandler, type FrontDoor } from "../../src/transport/handler.ts";
import { type HttpServer, listen } from "../../src/transport/http/server.ts";
import { BODY_BYTES_MAX } from "../../src/transport/request/body.ts";
import { createClientAddress } from "../../src/transport/request/client-address.ts";
import { createHeldBodies } from "../../src/transport/request/held-bodies.ts";
import { LISTEN_OPTIONS } from "../harness/listen-options.ts";
import { NOTHING_SHED } from "../harness/no-bounds.ts";
import { dashboardUser } from "../harness/principals.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const ORIGIN = "https://page.example";

const folder = await mkdtemp(join(tmpdir(), "console-"));
await mkdir(join(folder, "assets"));
await writeFile(join(folder, "index.html"), "<!doctype html>");
await writeFile(join(folder, "assets", "main.js"), "0");

const log = pino({ level: "silent" });
const metrics = new Registry();
const readiness = createReadiness({ pingStore: async () => {}, draining: new AbortController().signal });
const principal = dashboardUser();
const noone = () => expect.unreachable("no request here is signed");
/** The whole list, as with everything configured. */
const endpoints = createEndpoints({
  checkCaller: async () => ({ principal, userId: principal.userId }),
  identityClaims: {
    memberships: { findMemberships: noone },
    issuer: "https://issuer.example",
    matchSecret: () => undefined,
    secrets: () => [],
    clock: () => new Date(),
  },
  githubLeaks: {
    // An unsigned report reads no key.
    keys: {} as never,
    keyClock: noone,
    foreignKeys: { hashOf: () => undefined },
    onLeak: noone,
    scannerKeys: { find: noone },
    throttleSigned: noone,
  },
  // A request without a form is refused before it asks for anything.
  oauthToken: { throttle: () => null, tokenIssuer: "https://latchkey.example" } as never,
  console: { main: createConsole({ folder, settings: async () => ({ json: {}, origins: [] }) }) },
  clientAddress: createClientAddress({ ranges: [], header: null }),
  readiness,
  metrics,
});
/** Those whose path is 405 for other methods: `/` is tested in front-page.test.ts. */
const named = endpoints.filter(({ otherMethods }) => otherMethods === undefined);
const door: FrontDoor = {
  handlers: [],
  rpcs: [],
  openHandlers: createOpenHandlers([], readiness),
  endpoints,
  clientAddress: createClientAddress({ ranges: [], header: null }),
  docsUrl: "",
  gate: { check: () => principal, identify: async () => {}, refuse: async () => {}, conclude: () => {} },
  translate: createErrorTranslator(createErrorReporter(() => {})),
  policies: new Map(),
  cors: createCors("*"),
  accessLog: createAccessLog({ log, reportError: () => {}, writeLine: () => {}, metrics }),
  inFlight: { requests: 0 },
  bodies: createHeldBodies(0),
  overload: NOTHING_SHED,
};

let server: HttpServer;
beforeAll(async () => {
  server = await listen(createHandler(door), LISTEN_OPTIONS);
});
afterAll(async () => {
  await server.close(0);
  await rm(folder, { recursive: true });
});

async function send(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
  const response = await fetch(server.url + path, { method, headers, ...(body !== undefined && { body }) });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, text: bytes.toString(), size: bytes.byteLength };
}

function isServed({ method }: (typeof endpoints)[number], asked: string): boolean {
  return method === "any" || method === asked || (method === "GET" && asked === "HEAD");
}

/** Calls whose messages another protocol describes. */
const OF_ENVOY = `/${ENVOY_CHECK}`;

test("every call that is not an RPC is in the OpenAPI document, by its methods", () => {
  const calls = endpoints.filter(({ procedure, path }) => procedure !== undefined && path !== OF_ENVOY);
  const documented = Object.entries<object>(document.paths).filter(([, item]) => !isOfRpc(item));
  expect(documented.map(([path, item]) => [path, Object.keys(item)]).sort()).toEqual(
    calls.map(({ path, method }) => [path, method === "any" ? ["get", "post"] : [method.toLowerCase()]]).sort(),
  );
});

function isOfRpc(item: { readonly post?: { readonly description: string } }): boolean {
  return item.post?.description.includes("Over Connect, gRPC and gRPC-Web: ") === true;
}

describe.each(named)("$path", (endpoint) => {
  const { path, below } = endpoint;

  test("answers the methods of its entry, and any other with 405 and an Allow that names them", async () => {
    const allow = { GET: "GET, HEAD", POST: "POST", any: "" }[endpoint.method];
    for (const method of METHODS) {
      const { status, headers } = await send(method, path);
      expect(status === 405, method).toBe(!isServed(endpoint, method));
      expect(headers.get("allow"), method).toBe(status === 405 ? allow : null);
      expect([404, 500], method).not.toContain(status);
    }
  });

  // threat: K17
  test("has no other path near it", async () => {
    const folderPaths = below === undefined ? [`${path}/`, `${path}/x`] : [`${path}/assets/x.js`];
    const others = [
      `${path}x`,
      `/x${path}`,
      `/${path}`,
      path.toUpperCase(),
      `${path.slice(0, -1)}%${path.charCodeAt(path.length - 1).toString(16)}`,
      ...folderPaths,
    ];
    const method = endpoint.method === "POST" ? "POST" : "GET";
    for (const other of others) {
      const { status, text } = await send(method, other);
      // A path of the form that RPCs have is answered as an unknown RPC.
      const code = path === `/${ENVOY_CHECK}` && /^\/[\w.]+\/\w+$/.test(other) ? "unimplemented" : "not_found";
      expect([other, status, JSON.parse(text).code]).toEqual([other, 404, code]);
    }
  });

  test("is readable by pages of other origins as its entry says, whatever the method", async () => {
    for (const method of METHODS) {
      const { headers } = await send(method, path, { origin: ORIGIN });
      // The document of the API says itself that any page may read it, where it is served.
      const isServedToAll = path === "/openapi.json" && isServed(endpoint, method);
      const readable = endpoint.isReadableByPages || isServedToAll;
      expect(headers.get("access-control-allow-origin"), method).toBe(readable ? "*" : null);
    }
  });

  test("answers a preflight with 204, unless it takes any method, when that would be a permission", async () => {
    const { status, headers } = await send("OPTIONS", path, {
      origin: ORIGIN,
      "access-control-request-method": "POST",
    });
    expect(status).toBe(endpoint.method === "any" ? 200 : 204);
    expect(headers.get("access-control-allow-methods")).toBe(endpoint.method === "any" ? null : "POST");
  });
});

describe.each(endpoints.filter(({ method }) => method === "GET"))("a HEAD of $path", ({ path }) => {
  test("has the status and the headers of a GET, and no body", async () => {
    const [get, head] = [await send("GET", path), await send("HEAD", path)];
    const varying = ["date", "x-request-id", "connection", "keep-alive", "content-length"];
    const own = ([name]: [string, string]) => !varying.includes(name);
    expect([head.status, head.text]).toEqual([get.status, ""]);
    expect([...head.headers].filter(own)).toEqual([...get.headers].filter(own));
    // Each scrape counts the requests before it.
    if (path === "/metrics") expect(head.headers.get("content-length")).toMatch(/^\d+$/);
    else expect(head.headers.get("content-length")).toBe(String(get.size));
  });
});

/** Envoy's is a message of gRPC, and the token endpoint's a form. Both hold the credentials. */
const UNSIGNED: Readonly<Record<string, number>> = { [`/${ENVOY_CHECK}`]: 415, "/oauth/token": 400 };

test.each(endpoints.filter(({ body }) => body === "bytes"))(
  "a POST of $path with a body beyond its bound is 413, any other is checked, and no answer may be stored",
  async ({ path, bodyBytesMax = BODY_BYTES_MAX }) => {
    const large = await send("POST", path, {}, "x".repeat(bodyBytesMax + 1));
    expect([large.status, large.headers.get("cache-control")]).toEqual([413, "no-store"]);
    expect(JSON.parse(large.text).message).toBe(`body: must be at most ${bodyBytesMax} bytes.`);
    expect((await send("POST", path, {}, "x".repeat(bodyBytesMax))).status).not.toBe(413);
    const unsigned = await send("POST", path, {}, "{}");
    const status = UNSIGNED[path] ?? 401;
    expect([unsigned.status, unsigned.headers.get("cache-control")]).toEqual([status, "no-store"]);
  },
);

// threat: Q1
test("each endpoint declares how many bytes it reads from any caller", () => {
  const bounds = endpoints
    .filter(({ body }) => body === "bytes")
    .map(({ path, bodyBytesMax = BODY_BYTES_MAX }) => [path, bodyBytesMax]);
  expect(Object.fromEntries(bounds)).toEqual({
    [`/${ENVOY_CHECK}`]: 65_536,
    "/oauth/token": 65_536,
    "/api/v1/identity/claims": 1_048_576,
    "/api/v1/api-keys/report-leak/github": 1_048_576,
  });
});

test("a message of gRPC's health, whose callers show no credentials, has at most 16 KiB", async () => {
  const check = (bytes: number) =>
    send("POST", "/grpc.health.v1.Health/Check", { "content-type": "application/json" }, `{${" ".repeat(bytes - 2)}}`);
  expect([(await check(16_384)).status, (await check(16_385)).status]).toEqual([200, 413]);
});

test("the folder of the console has pages below it, and the files that are there", async () => {
  for (const path of ["/console/", "/console/keys/key_1", "/console/config.json", "/console/assets/main.js"])
    expect((await send("GET", path)).status, path).toBe(200);
  expect((await send("POST", "/console/keys")).status).toBe(405);
  expect((await send("GET", "/console/assets/index.html")).status).toBe(404);
});

test("/ leads to the console where there is one", async () => {
  expect(JSON.parse((await send("GET", "/")).text).links.console).toBe("/console");
  expect((await send("GET", "/", { accept: "text/html" })).text).toContain('<a href="console">');
});

test("two routes with one path are refused when the door is made", () => {
  const twice = { ...door, endpoints: [...endpoints, ...endpoints.slice(0, 1)] };
  expect(() => createHandler(twice)).toThrow("two routes have the path /auth/check");
});
