// promise: http.pipelining
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { Code } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type HttpServer, listen } from "../../src/transport/http/server.ts";
import { collectBody } from "../../src/transport/request/body.ts";
import type { Outgoing } from "../../src/transport/request/exchange.ts";
import { createHeldBodies } from "../../src/transport/request/held-bodies.ts";
import { LIMITS, LISTEN_OPTIONS } from "../harness/listen-options.ts";

const PIPELINED_MAX = 3;

/** A request that was handed on, and its answer, which a test sends. */
interface Begun {
  readonly url: string;
  readonly req: IncomingMessage;
  readonly res: Outgoing;
}

let server: HttpServer;
let begun: Begun[];

beforeEach(async () => {
  begun = [];
  server = await listen(
    // It is one of HTTP/1.1 here.
    (req, res) => void begun.push({ url: String(req.url), req: req as unknown as IncomingMessage, res }),
    { ...LISTEN_OPTIONS, limits: { ...LIMITS, pipelinedMax: PIPELINED_MAX } },
  );
});

afterEach(() => server.close(0));

const get = (...paths: string[]): string => paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join("");

function send(bytes: string): Socket {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1", () => socket.write(bytes));
  return socket.on("error", () => {});
}

/** Until as many requests were handed on; the last of them. */
async function untilBegun(count: number): Promise<Begun> {
  while (begun.length < count) await setImmediate();
  return begun[count - 1] as Begun;
}

/** Answers each request as soon as it is handed on, until as many are. */
async function answerAll(count: number, from = 0): Promise<void> {
  for (let n = from + 1; n <= count; n++) (await untilBegun(n)).res.end();
}

/** Time in which whatever could be handed on would be. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await setImmediate();
}

/** The statuses of all answers until the server ends the connection. */
async function statuses(socket: Socket): Promise<string[]> {
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk;
  });
  await once(socket, "close");
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = ""]) => status);
}

test("a request begins only after the answer before it was sent", async () => {
  const socket = send(get("/1", "/2", "/3"));
  for (let n = 1; n <= 3; n++) {
    const { url, res } = await untilBegun(n);
    await settle();
    expect(begun.map((each) => each.url)).toEqual(["/1", "/2", "/3"].slice(0, n));
    expect(url).toBe(`/${n}`);
    res.end();
  }
  socket.destroy();
});

test("a request does not begin while its client does not read the answer before it", async () => {
  const socket = send(get("/1", "/2"));
  socket.pause();
  const { res } = await untilBegun(1);
  res.end(Buffer.alloc(50_000_000));
  await settle();
  expect(begun).toHaveLength(1);
  socket.resume();
  await untilBegun(2);
  socket.destroy();
});

test.each([
  ["an unknown Expect", "GET /2 HTTP/1.1\r\nHost: x\r\nExpect: banana\r\n\r\n", "417"],
  ["a head that is refused", "GET /2 HTTP/1.1\r\nHost: a b\r\n\r\n", "400"],
  ["a CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n", "405"],
  ["what is no HTTP", "GARBAGE\r\n\r\n", "400"],
])("%s behind a request is answered after it, and never begins", async (_what, bytes, status) => {
  const answered = statuses(send(get("/1") + bytes));
  const { res } = await untilBegun(1);
  await settle();
  res.end();
  expect(await answered).toEqual(["200", status]);
  expect(begun).toHaveLength(1);
});

test("a pipelined request with a broken body begins in order, and its reader gets the error", async () => {
  const answered = statuses(
    send(`${get("/1")}POST /2 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`),
  );
  const { res } = await untilBegun(1);
  await settle();
  expect(begun).toHaveLength(1);
  res.end();
  const second = await untilBegun(2);
  await expect(collectBody(second.req, { call: { address: null } }, createHeldBodies(0))).rejects.toMatchObject({
    code: Code.InvalidArgument,
  });
  second.res.statusCode = 400;
  second.res.end();
  expect(await answered).toEqual(["200", "400"]);
});

test("no request begins whose client has disconnected", async () => {
  const socket = send(get("/1", "/2", "/3"));
  const { res } = await untilBegun(1);
  const left = once(res, "close");
  socket.destroy();
  await left;
  res.end();
  await settle();
  expect(begun).toHaveLength(1);
});

test("no request begins behind an answer that ends the connection", async () => {
  const answered = statuses(send(get("/1", "/2", "/3")));
  const { res } = await untilBegun(1);
  res.setHeader("Connection", "close");
  res.end();
  expect(await answered).toEqual(["200"]);
  await settle();
  expect(begun).toHaveLength(1);
});

test("the body of a request that waits arrives complete", async () => {
  const body = "a".repeat(500_000);
  const socket = send(`${get("/1")}POST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  const { res } = await untilBegun(1);
  await settle();
  res.end();
  const { req } = await untilBegun(2);
  let received = "";
  for await (const chunk of req.setEncoding("latin1")) received += chunk;
  expect(received).toBe(body);
  socket.destroy();
});

test("while many requests wait nothing more is read from their connection", async () => {
  const paths = Array.from({ length: PIPELINED_MAX + 1 }, (_, n) => `/${n}`);
  const socket = send(get(...paths)).resume();
  const { req } = await untilBegun(1);
  while (!req.socket.isPaused()) await setImmediate();
  const { bytesRead } = req.socket;
  socket.write(get(...paths));
  await answerOthers();
  expect(req.socket.bytesRead).toBe(bytesRead);
  begun = begun.filter(({ url }) => url !== "/other");
  await answerAll(2 * paths.length);
  expect(begun.map(({ url }) => url)).toEqual([...paths, ...paths]);
  socket.destroy();
});

/** Serves another client, by which time the server has read whatever it is to read. */
async function answerOthers(): Promise<void> {
  const other = fetch(`${server.url}/other`);
  const { res } = await untilBegun(2);
  res.end();
  await other;
  await settle();
}
