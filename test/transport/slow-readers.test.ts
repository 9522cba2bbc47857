// promise: http.slow-readers
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { CertificateFiles } from "../../src/config/settings.ts";
import { type HttpServer, listen } from "../../src/transport/http/server.ts";
import type { ExchangeListener, Outgoing } from "../../src/transport/request/exchange.ts";
import { END_OF_BOTH, frame, GET_ROOT, HEADERS, PREFACE, SETTINGS } from "../harness/http2-frames.ts";
import { LIMITS, LISTEN_OPTIONS } from "../harness/listen-options.ts";
import { makeCertificate, writeCertificate } from "../harness/test-certificate.ts";

/** More than what the two ends of a connection take on their own. */
const LARGE = Buffer.alloc(50_000_000);
const UNREAD_TIMEOUT_MS = 500;

const WINDOW_UPDATE = 0x8;
/** A client that takes answers of any size. */
const HTTP2_GET = Buffer.concat([
  Buffer.from(PREFACE),
  frame(SETTINGS, 0, Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])),
  frame(WINDOW_UPDATE, 0, Buffer.from([0x7f, 0, 0, 0])),
  frame(HEADERS, END_OF_BOTH, GET_ROOT, 1),
]);
const HTTP1_GET = Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n");

let dir: string;
let tls: CertificateFiles;
let server: HttpServer;
const sockets: Socket[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "latchkey-unread-"));
  tls = await writeCertificate(dir, makeCertificate());
});

afterAll(() => rm(dir, { recursive: true, force: true }));

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close(0);
});

/** Where every answer is large; /late is answered by the test, with what is returned. */
async function start(secure = false): Promise<{ cut: Promise<void>; late: Promise<Outgoing> }> {
  const cut = Promise.withResolvers<void>();
  const late = Promise.withResolvers<Outgoing>();
  const serve: ExchangeListener = (req, res) => {
    if (req.url === "/late") return late.resolve(res);
    if (req.url === "/small") return void res.end("small");
    if (req.url === "/") res.once("close", () => cut.resolve());
    res.end(LARGE);
  };
  const limits = { ...LIMITS, slowReaderTimeoutMs: UNREAD_TIMEOUT_MS };
  server = await listen(serve, { ...LISTEN_OPTIONS, tls: secure ? tls : null, limits });
  return { cut: cut.promise, late: late.promise };
}

/** A client that sends bytes and reads nothing. */
function send(bytes: Uint8Array | string, alpn?: string): Socket {
  const port = Number(new URL(server.url).port);
  const socket =
    alpn === undefined
      ? connect(port, "127.0.0.1")
      : connectTls({ port, host: "127.0.0.1", ALPNProtocols: [alpn], rejectUnauthorized: false });
  socket.on("error", () => {}).pause();
  socket.write(bytes);
  sockets.push(socket);
  return socket;
}

describe("a client that reads nothing of its answer is disconnected", () => {
  test.each([
    ["HTTP/1.1", HTTP1_GET, undefined],
    ["HTTP/1.1 with TLS", HTTP1_GET, "http/1.1"],
    ["HTTP/2", HTTP2_GET, undefined],
    ["HTTP/2 with TLS", HTTP2_GET, "h2"],
  ])("over %s", async (_what, bytes, alpn) => {
    const { cut } = await start(alpn !== undefined);
    send(bytes, alpn);
    await cut;
  });

  // threat: H2
  test("even while it goes on sending", async () => {
    const { cut } = await start();
    const socket = send(HTTP1_GET);
    const sending = setInterval(() => socket.write("G"), UNREAD_TIMEOUT_MS / 10);
    await cut.finally(() => clearInterval(sending));
  });
});

describe("within the time after which such a client is disconnected", () => {
  test("a client whose answer is not ready is not", async () => {
    const { cut, late } = await start();
    const waiting = fetch(`${server.url}/late`);
    const res = await late;
    send(HTTP1_GET);
    await cut;
    res.end("late");
    expect(await (await waiting).text()).toBe("late");
  });

  test("a client without a further request is not", async () => {
    const { cut } = await start();
    const idle = send("GET /small HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(idle.resume(), "data");
    send(HTTP1_GET);
    await cut;
    idle.write("GET /small HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(String(await once(idle, "data"))).toContain("small");
  });

  test("a client that reads its answer slowly is not", async () => {
    const { cut } = await start();
    const slow = send("GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let bytes = 0;
    slow.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      slow.pause();
    });
    const reading = setInterval(() => slow.resume(), 5);
    send(HTTP1_GET);
    await cut.finally(() => clearInterval(reading));
    expect(bytes).toBeLessThan(LARGE.byteLength);
    slow.removeAllListeners("data").on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
    });
    await once(slow.resume(), "close");
    expect(bytes).toBeGreaterThan(LARGE.byteLength);
  });
});
