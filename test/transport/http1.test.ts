// promise: callers.connection, limits.headers, http.versions, http.host
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { faultAnswer } from "../../src/transport/answer/envelope.ts";
import { write } from "../../src/transport/answer/write.ts";
import type { HttpLimits } from "../../src/transport/http/http-limits.ts";
import { type HttpServer, listen } from "../../src/transport/http/server.ts";
import { collectBody } from "../../src/transport/request/body.ts";
import { bodyFault } from "../../src/transport/request/body-faults.ts";
import type { ExchangeListener } from "../../src/transport/request/exchange.ts";
import { createHeldBodies } from "../../src/transport/request/held-bodies.ts";
import { LIMITS, LISTEN_OPTIONS } from "../harness/listen-options.ts";
import { sendRaw } from "../harness/raw-http.ts";

let server: HttpServer | undefined;

afterEach(() => server?.close(0));

async function start(handler: ExchangeListener, limits: Partial<HttpLimits> = {}): Promise<HttpServer> {
  server = await listen(handler, { ...LISTEN_OPTIONS, limits: { ...LIMITS, ...limits } });
  return server;
}

const answerAtOnce: ExchangeListener = (req, res) => {
  res.writeHead(200, { "content-length": "2" });
  res.end(String(req.url).slice(-2));
};

/** In the order of the requests, but each the later the earlier it came. */
function answerLate(requests: number): ExchangeListener {
  let turns = 10 * (requests + 1);
  return (req, res) => {
    turns -= 10;
    const wait = (left: number): unknown => (left > 0 ? setImmediate(wait, left - 1) : answerAtOnce(req, res));
    wait(turns);
  };
}

/** Once its body is there, or as its fault says. */
const answerByBody: ExchangeListener = (req, res) => {
  collectBody(req, { call: { address: null } }, createHeldBodies(0)).then(
    () => answerAtOnce(req, res),
    () => write(res, faultAnswer(bodyFault(req)?.fault ?? "internal")),
  );
};

/** The statuses of all answers on one connection. */
async function statuses(bytes: string, handler: ExchangeListener, limits?: Partial<HttpLimits>): Promise<string[]> {
  const { url } = await start(handler, limits);
  const answers = await sendRaw(url, bytes);
  return statusesIn(answers);
}

function statusesIn(answers: string): string[] {
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = ""]) => status);
}

const CHUNKED = "POST /p1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n";
const STALLED = "POST /p1 HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{";
const SHORT = { headersTimeoutMs: 100, requestTimeoutMs: 100 };

describe("one request has one answer", () => {
  test("if its body breaks after it was answered", async () => {
    expect(await statuses(`${CHUNKED}zz\r\n`, answerAtOnce)).toEqual(["200"]);
  });

  test("if its body does not end in time after it was answered", async () => {
    expect(await statuses(STALLED, answerAtOnce, SHORT)).toEqual(["200"]);
  });

  test("if its body breaks before it is answered", async () => {
    expect(await statuses(`${CHUNKED}zz\r\n`, answerByBody)).toEqual(["400"]);
  });

  test("if its body breaks before it is read", async () => {
    const later: ExchangeListener = (req, res) => void setImmediate(answerByBody, req, res);
    expect(await statuses(`${CHUNKED}zz\r\n`, later)).toEqual(["400"]);
  });

  test("which a client that goes on sending broken bytes can read", async () => {
    expect(await statuses(`${CHUNKED}zz\r\n${"x".repeat(5_000_000)}`, answerByBody)).toEqual(["400"]);
  });

  test("if its trailers are too large", async () => {
    const trailers = `a: ${"b".repeat(20_000)}\r\n\r\n`;
    expect(await statuses(`${CHUNKED}0\r\n${trailers}`, answerByBody)).toEqual(["431"]);
  });

  // threat: H2
  test.each([
    ["it was answered", answerAtOnce, "200"],
    ["it was refused for that", answerByBody, "408"],
  ])("if its body is too slow, after %s, and no pipelined request behind it begins", async (_what, handler, status) => {
    const begun: unknown[] = [];
    const { url } = await start((req, res) => {
      begun.push(req.url);
      handler(req, res);
    }, SHORT);
    const socket = connect({ port: Number(new URL(url).port), allowHalfOpen: true });
    let answers = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      answers += chunk;
    });
    socket.write(STALLED);
    await once(socket, "end");
    socket.end(`${"x".repeat(99)}GET /g2 HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, "close");
    // By when the server has read those bytes.
    await fetch(`${url}/other`);
    expect({ begun, statuses: statusesIn(answers) }).toEqual({ begun: ["/p1", "/other"], statuses: [status] });
  });

  test.each([1, 3])("if %i were pipelined with malformed bytes behind them", async (count) => {
    const requests = Array.from({ length: count }, (_, n) => `GET /g${n} HTTP/1.1\r\nHost: x\r\n\r\n`).join("");
    const expected = [...Array.from({ length: count }, () => "200"), "400"];
    expect(await statuses(`${requests}GARBAGE\r\n\r\n`, answerLate(count))).toEqual(expected);
  });

  test("in order, if one with a broken body is behind others", async () => {
    const others = "GET /g1 HTTP/1.1\r\nHost: x\r\n\r\nGET /g2 HTTP/1.1\r\nHost: x\r\n\r\n";
    const late = answerLate(2);
    const handler: ExchangeListener = (req, res) => (req.method === "GET" ? late : answerByBody)(req, res);
    expect(await statuses(`${others}${CHUNKED}zz\r\n`, handler)).toEqual(["200", "200", "400"]);
  });
});

describe("a head that a proxy may read differently", () => {
  const head = (...lines: string[]) => `${["POST /p1 HTTP/1.1", ...lines, "Connection: close"].join("\r\n")}\r\n\r\n`;

  // threat: H1
  test.each([
    ["no Host", head(), "400"],
    ["an empty Host", head("Host:"), "400"],
    ["a Host of a port alone", head("Host: :80"), "400"],
    ["two Hosts", head("Host: a", "host: a"), "400"],
    ["a Host with a path", head("Host: a/b"), "400"],
    ["a Host with a space", head("Host: a b"), "400"],
    ["a Host with a user", head("Host: u@a"), "400"],
    ["half an address as Host", head("Host: ["), "400"],
    ["a coding beside chunked", head("Host: a", "Transfer-Encoding: gzip, chunked"), "400"],
    ["a credential named in Connection", head("Host: a", "Connection: X-API-Key"), "400"],
    ["a proof named there", head("Host: a", "Connection: keep-alive, DPoP"), "400"],
    ["the user to act for named there", head("Host: a", "Connection: keep-alive,x-on-behalf-of"), "400"],
    ["a user token named there", head("Host: a", "connection: keep-alive, Authorization , te"), "400"],
    ["what a check answers named there", head("Host: a", "Connection: close, X-Auth-User-Id"), "400"],
    ["an expectation", head("Host: a", "Expect: banana"), "417"],
    ["a line of HTTP/2", head("Host: a").replace("HTTP/1.1", "HTTP/2.0"), "505"],
    ["a line of HTTP/0.9", head("Host: a").replace("HTTP/1.1", "HTTP/0.9"), "505"],
    ["a line of HTTP/1.2", head("Host: a").replace("HTTP/1.1", "HTTP/1.2"), "400"],
    ["a line of HTTP/3", head("Host: a").replace("HTTP/1.1", "HTTP/3.0"), "400"],
    ["CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n", "405"],
  ])("with %s is rejected with a JSON error, and the connection is closed", async (_what, bytes, status) => {
    const { url } = await start(answerAtOnce);
    const answer = await sendRaw(url, bytes);
    expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
    expect(answer).toMatch(/^connection: close/im);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toEqual({
      code: expect.any(String),
      reason: expect.any(String),
      message: expect.any(String),
      details: [expect.objectContaining({ type: "latchkey.v1.ErrorInfo" })],
    });
  });

  test.each([
    ["an address of IPv6 as Host", head("Host: [::1]:8080")],
    ["a name with a port", head("Host: api.example-1.com:443")],
    ["HTTP/1.0 and no Host", "GET /g1 HTTP/1.0\r\n\r\n"],
    ["chunks in capitals", `${head("Host: a", "Transfer-Encoding: Chunked")}0\r\n\r\n`],
    ["an upgrade that is not offered", head("Host: a", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c")],
    ["another header named in Connection", head("Host: a", "Connection: keep-alive, TE, Proxy-Authorization, X-Auth")],
    ["100-continue", head("Host: a", "Expect: 100-continue").replace("POST", "GET")],
  ])("with %s is served", async (_what, bytes) => {
    expect(await statuses(bytes, answerAtOnce)).toContain("200");
  });
});
