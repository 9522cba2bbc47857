// promise: fence.denies, fence.order, paths.cors
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Latchkey, sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";
import { isFirstOfItsKind, RPCS } from "../harness/rpcs.ts";

/** The request and the answer of a browser. Raw HTTP, since `fetch` hides these headers. */

const PAGE = "https://app.example.com";
const OTHER_PAGE = "https://app.example.com.evil.test";
const LIST_THREADS = "/api/v1/llm/gateway/list-threads";

const latchkey = await sharedLatchkey();
let listed: Latchkey;

beforeAll(async () => {
  listed = await startLatchkey({ config: { corsAllowedOrigins: ["http://localhost:3000", PAGE] } });
});

afterAll(() => listed.close());

async function send(to: Latchkey, method: string, path: string, headers: Record<string, string>, body = "") {
  const all = { Host: "x", Connection: "close", "Content-Length": String(body.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const answer = await sendRaw(to.url, `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  const [head = ""] = answer.split("\r\n\r\n", 1);
  const [statusLine = "", ...fields] = head.split("\r\n");
  const pairs = fields.map((field): [string, string] => {
    const colon = field.indexOf(":");
    return [field.slice(0, colon), field.slice(colon + 1).trim()];
  });
  return { status: Number(statusLine.split(" ")[1]), headers: new Headers(pairs) };
}

function preflight(to: Latchkey, path: string, origin = PAGE) {
  const fields = {
    Origin: origin,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "x-api-key",
  };
  return send(to, "OPTIONS", path, fields);
}

function names(list: string | null): string[] {
  return (list ?? "").toLowerCase().split(/, ?/);
}

describe("a preflight", () => {
  test.each(RPCS.filter(isFirstOfItsKind).flatMap(({ path, procedure }) => [path, procedure]))(
    "for %s allows what our clients send",
    async (path) => {
      const { status, headers } = await preflight(latchkey, path);
      expect(status).toBe(204);
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-allow-methods")).toBe("POST");
      expect(names(headers.get("access-control-allow-headers"))).toEqual(
        expect.arrayContaining([
          ...["content-type", "authorization", "x-api-key", "x-on-behalf-of", "dpop", "x-request-id"],
          ...["connect-protocol-version", "connect-timeout-ms", "x-grpc-web", "x-user-agent", "grpc-timeout"],
        ]),
      );
      expect(headers.has("access-control-allow-credentials")).toBe(false);
      expect(headers.has("set-cookie")).toBe(false);
    },
  );

  test("spends nothing and counts no use, with a key or without", async () => {
    const dashboard = await latchkey.dashboard();
    const { key, key_id } = await latchkey.createKey(dashboard, { rate_limit: { requests_per_minute: 1 } });
    const fields = { Origin: PAGE, "Access-Control-Request-Method": "POST", "X-API-Key": key };
    for (let n = 0; n < 3; n++) expect((await send(latchkey, "OPTIONS", LIST_THREADS, fields)).status).toBe(204);
    expect((await latchkey.call(LIST_THREADS, {}, { "x-api-key": key })).status).toBe(200);
    const usage = await latchkey.call("/api/v1/api-keys/usage", { key_id }, dashboard);
    expect(usage.json.result.total_verifications).toBe(1);
  });

  test("is an OPTIONS with an origin: without one it is 405 and names POST", async () => {
    const { status, headers } = await send(latchkey, "OPTIONS", LIST_THREADS, {});
    expect(status).toBe(405);
    expect(headers.get("allow")).toBe("POST");
  });
});

describe("a page can read every answer to a call, and that of /healthz", () => {
  const json = { Origin: PAGE, "Content-Type": "application/json" };
  const cases: [what: string, status: number, request: () => Promise<{ status: number; headers: Headers }>][] = [
    ["of no credentials", 401, () => send(latchkey, "POST", LIST_THREADS, json, "{}")],
    ["of a wrong path", 404, () => send(latchkey, "POST", "/api/v1/nope", json, "{}")],
    ["of a wrong method", 405, () => send(latchkey, "PUT", LIST_THREADS, json, "{}")],
    ["of a wrong type", 415, () => wrongType()],
    ["of a head beyond the limit", 431, () => send(latchkey, "POST", LIST_THREADS, { ...json, a: "a".repeat(20_000) })],
    ["of what is no HTTP", 400, () => send(latchkey, "NOPE", LIST_THREADS, json)],
    ["of a probe", 200, () => send(latchkey, "GET", "/healthz", json)],
    [
      "of gRPC-Web",
      200,
      () => send(latchkey, "POST", RPCS[9]?.procedure ?? "", { ...json, "Content-Type": "application/grpc-web+proto" }),
    ],
    ["of a spent limit", 429, () => spent()],
  ];

  async function wrongType() {
    const { key } = await latchkey.createKey(await latchkey.dashboard());
    return send(latchkey, "POST", LIST_THREADS, { Origin: PAGE, "X-API-Key": key }, "{}");
  }

  async function spent() {
    const fields = { rate_limit: { requests_per_minute: 1 } };
    const { key } = await latchkey.createKey(await latchkey.dashboard(), fields);
    await latchkey.call(LIST_THREADS, {}, { "x-api-key": key });
    return send(latchkey, "POST", LIST_THREADS, { ...json, "X-API-Key": key }, "{}");
  }

  test.each(cases)("%s: %i", async (_what, expected, request) => {
    const { status, headers } = await request();
    expect(status).toBe(expected);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(names(headers.get("access-control-expose-headers"))).toEqual(
      expect.arrayContaining([
        ...["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after", "x-request-id"],
        ...["grpc-status", "grpc-message", "grpc-status-details-bin"],
      ]),
    );
  });
});

describe("no page can read", () => {
  test.each(["/metrics", "/readyz", "/docs"])("%s: it may be open only in its visitor's network", async (path) => {
    for (const method of ["GET", "HEAD", "POST"]) {
      const { headers } = await send(latchkey, method, path, { Origin: PAGE });
      expect(headers.has("x-request-id")).toBe(true);
      expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
    expect((await preflight(latchkey, path)).headers.has("access-control-allow-origin")).toBe(false);
    expect((await send(listed, "GET", path, { Origin: PAGE })).headers.has("access-control-allow-origin")).toBe(false);
  });
});

describe("with a list of origins", () => {
  test.each([PAGE, "http://localhost:3000"])("%s is allowed by name", async (origin) => {
    for (const { headers } of [
      await preflight(listed, LIST_THREADS, origin),
      await send(listed, "POST", LIST_THREADS, { Origin: origin }),
    ]) {
      expect(headers.get("access-control-allow-origin")).toBe(origin);
      expect(headers.get("vary")).toBe("Origin");
    }
  });

  test.each([
    OTHER_PAGE,
    "http://app.example.com",
    `${PAGE}:8443`,
    `${PAGE}/`,
    "HTTPS://APP.EXAMPLE.COM",
    "null",
    "*",
    "",
  ])("the origin %j is not allowed, and Vary says that the answer depends on it", async (origin) => {
    for (const { headers } of [
      await preflight(listed, LIST_THREADS, origin),
      await send(listed, "POST", LIST_THREADS, { Origin: origin }),
    ]) {
      expect(headers.has("access-control-allow-origin")).toBe(false);
      expect(headers.get("vary")).toBe("Origin");
    }
  });

  test("each origin that is not allowed is one line in the log, however often its page calls", async () => {
    const [first, second] = ["https://logged-1.example", "https://logged-2.example"];
    const line = listed.logLines.length;
    for (let n = 0; n < 3; n++)
      for (const origin of [first, PAGE, second]) await preflight(listed, LIST_THREADS, origin);
    // A page of the service's own origin, such as the console, sends it too, but asks no permission.
    await send(listed, "POST", LIST_THREADS, { Origin: "https://own.example" });
    const warned = listed.logLines
      .slice(line)
      .map((text) => JSON.parse(text))
      .filter(({ level }) => level === 40);
    expect(warned).toMatchObject([{ origin: first }, { origin: second }]);
    expect(warned[0].msg).toContain("CORS_ALLOWED_ORIGINS");
  });
});
