// promise: answers.headers
import { once } from "node:events";
import { connect, type OutgoingHttpHeaders } from "node:http2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";
import { startSecureLatchkey } from "../harness/secure-latchkey.ts";

let latchkey: Latchkey;
let secure: Latchkey;
let key: string;

beforeAll(async () => {
  [latchkey, secure] = await Promise.all([startLatchkey(), startSecureLatchkey()]);
  ({ key } = await latchkey.createKey(await latchkey.dashboard()));
});
afterAll(() => Promise.all([latchkey.close(), secure.close()]));

interface Received {
  readonly status: number;
  readonly headers: Headers;
}

function parsed(answer: string): Received {
  const [head = ""] = answer.split("\r\n\r\n", 1);
  const [statusLine = "", ...fields] = head.split("\r\n");
  const pairs = fields.map((field): [string, string] => {
    const colon = field.indexOf(":");
    return [field.slice(0, colon), field.slice(colon + 1).trim()];
  });
  return { status: Number(statusLine.split(" ")[1]), headers: new Headers(pairs) };
}

/** Sends lines of a head over HTTP/1.1, `KEY` among them standing for a usable key, and then the body. */
async function sendHead(lines: readonly string[], body = ""): Promise<Received> {
  const head = [...lines, "Connection: close"].join("\r\n").replace("KEY", key);
  return parsed(await sendRaw(latchkey.url, `${head}\r\n\r\n${body}`));
}

async function sendHttp2(headers: OutgoingHttpHeaders): Promise<Received> {
  const session = connect(latchkey.url);
  const stream = session.request({ ":method": "POST", ...headers });
  // Of a GET the client has ended it.
  if (!stream.writableEnded) stream.end();
  const [received] = await once(stream, "response");
  stream.resume();
  await once(stream, "close");
  session.close();
  const pairs = Object.entries(received).filter(([name]) => !name.startsWith(":"));
  return { status: received[":status"], headers: new Headers(pairs as [string, string][]) };
}

/** Over gRPC a denial has no status of its own. */
function expectMarked({ status, headers }: Received, isForPages = true, isDenied = status === 401): void {
  expect(headers.get("x-request-id")).toMatch(/^req_\w+$/);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("access-control-allow-origin")).toBe(isForPages ? "*" : null);
  expect(headers.get("access-control-expose-headers")?.includes("Retry-After") ?? false).toBe(isForPages);
  expect(headers.get("www-authenticate")).toBe(isDenied ? 'Bearer realm="latchkey"' : null);
}

const JSON_TYPE = "Content-Type: application/json";
const VERIFY = "POST /api/v1/auth/verify HTTP/1.1";
const CONNECT_VERIFY = "POST /latchkey.v1.AuthService/Verify HTTP/1.1";
const WITHOUT_BODY = "Content-Length: 0";
const PREFLIGHT = ["OPTIONS / HTTP/1.1", "Host: x", "Origin: https://a.example", "Access-Control-Request-Method: POST"];

describe("over HTTP/1.1 every answer has the same headers:", () => {
  test.each<[what: string, status: number, lines: string[], body?: string]>([
    ["a call", 200, [VERIFY, "Host: x", JSON_TYPE, "X-API-Key: KEY", "Content-Length: 2"], "{}"],
    ["a denial", 401, [VERIFY, "Host: x", JSON_TYPE, WITHOUT_BODY]],
    ["a call with a time limit", 401, [CONNECT_VERIFY, "Host: x", JSON_TYPE, "Connect-Timeout-Ms: 9", WITHOUT_BODY]],
    ["a denial by gRPC-Web", 200, [CONNECT_VERIFY, "Host: x", "Content-Type: application/grpc-web", WITHOUT_BODY]],
    ["a denial before its body's type", 401, [VERIFY, "Host: x", "Content-Type: text/html", WITHOUT_BODY]],
    ["another type", 415, [VERIFY, "Host: x", "Content-Type: text/html", "X-API-Key: KEY", WITHOUT_BODY]],
    ["too large a body", 413, [VERIFY, "Host: x", JSON_TYPE, "X-API-Key: KEY", "Content-Length: 1048577"], "{"],
    ["a broken body", 400, [VERIFY, "Host: x", JSON_TYPE, "X-API-Key: KEY", "Transfer-Encoding: chunked"], "z\r\n"],
    [
      "a broken body of a call with a time limit",
      400,
      [
        CONNECT_VERIFY,
        "Host: x",
        JSON_TYPE,
        "Connect-Timeout-Ms: 9999",
        "X-API-Key: KEY",
        "Transfer-Encoding: chunked",
      ],
      "z\r\n",
    ],
    ["a proxy's check", 200, ["GET /auth/check HTTP/1.1", "Host: x", "X-API-Key: KEY"]],
    ["a proxy's check, denied", 401, ["GET /auth/check HTTP/1.1", "Host: x"]],
    [
      "health by Connect",
      200,
      ["POST /grpc.health.v1.Health/Check HTTP/1.1", "Host: x", JSON_TYPE, "Content-Length: 2"],
      "{}",
    ],
    [
      "a stream",
      200,
      ["POST /grpc.health.v1.Health/Watch HTTP/1.1", "Host: x", "Content-Type: application/connect+json", WITHOUT_BODY],
    ],
    ["a probe", 200, ["GET /healthz HTTP/1.1", "Host: x"]],
    ["a probe's head", 200, ["HEAD /healthz HTTP/1.1", "Host: x"]],
    ["a preflight", 204, PREFLIGHT],
    ["no such path", 404, ["POST /v2 HTTP/1.1", "Host: x", WITHOUT_BODY]],
    ["another method", 405, ["PUT /api/v1/auth/verify HTTP/1.1", "Host: x", WITHOUT_BODY]],
    ["an invalid host", 400, [VERIFY, "Host: [", WITHOUT_BODY]],
    ["an invalid host, with a key", 400, [VERIFY, "Host: [", "X-API-Key: KEY", WITHOUT_BODY]],
    ["an expectation", 417, [VERIFY, "Host: x", "Expect: magic", WITHOUT_BODY]],
    ["another version", 505, ["GET / HTTP/0.9", "Host: x"]],
    ["CONNECT", 405, ["CONNECT x:80 HTTP/1.1", "Host: x"]],
    ["too many headers", 431, ["GET / HTTP/1.1", "Host: x", ...Array.from({ length: 130 }, (_, n) => `X-${n}: x`)]],
    ["too long a head", 431, ["GET / HTTP/1.1", "Host: x", `X: ${"x".repeat(20_000)}`]],
    ["two lengths", 400, [VERIFY, "Host: x", "Content-Length: 1", "Content-Length: 2"]],
    ["what is no HTTP", 400, ["NOPE"]],
  ])("%s (%i)", async (what, status, lines, body) => {
    const received = await sendHead(lines, body);
    expect(received.status).toBe(status);
    expectMarked(received, true, status === 401 || what.startsWith("a denial"));
  });

  test.each(["/readyz", "/metrics", "/docs"])("%s, but no page of another origin may read it", async (path) => {
    expectMarked(await sendHead([`GET ${path} HTTP/1.1`, "Host: x"]), false);
  });

  test("cleartext on a port of TLS", async () => {
    const received = parsed(await sendRaw(secure.url, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    expect(received.status).toBe(400);
    expectMarked(received);
  });
});

describe("over HTTP/2 every answer has the same headers:", () => {
  const VERIFY_PATH = "/latchkey.v1.AuthService/Verify";

  test.each<[what: string, status: number, headers: OutgoingHttpHeaders]>([
    ["a denial", 401, { ":path": VERIFY_PATH, "content-type": "application/json" }],
    ["a denial by gRPC", 200, { ":path": VERIFY_PATH, "content-type": "application/grpc" }],
    ["a stream of gRPC", 200, { ":path": "/grpc.health.v1.Health/Watch", "content-type": "application/grpc" }],
    ["no such path", 404, { ":path": "/v2" }],
    ["a probe", 200, { ":method": "GET", ":path": "/healthz" }],
    ["too long a head", 431, { ":path": VERIFY_PATH, x: "x".repeat(20_000) }],
    ["an expectation", 417, { ":path": VERIFY_PATH, expect: "magic" }],
    ["CONNECT", 405, { ":method": "CONNECT", ":authority": "x:80" }],
  ])("%s (%i)", async (what, status, headers) => {
    const received = await sendHttp2(headers);
    expect(received.status).toBe(status);
    expectMarked(received, true, status === 401 || what.startsWith("a denial"));
  });
});
