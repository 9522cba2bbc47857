// promise: http.slow-readers
import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, constants } from "node:http2";
import type { Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, test } from "vitest";
import { HTTP_LIMITS } from "../../src/transport/http/http-limits.ts";
import type { ExchangeListener } from "../../src/transport/request/exchange.ts";
import { dial, start, stopServers } from "../harness/echo-server.ts";
import { END_OF_BOTH, frame, GET_ROOT, HEADERS, PREFACE, RST_STREAM, SETTINGS } from "../harness/http2-frames.ts";

const UNREAD_TIMEOUT_MS = 800;
const LIMITS = { slowReaderTimeoutMs: UNREAD_TIMEOUT_MS };
const ANSWER_BYTES = 900_000;
const POLL = { timeout: 30_000, interval: 10 };

const WINDOW_UPDATE = 0x8;
const GOAWAY = 0x7;

const sessions: ClientHttp2Session[] = [];

afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  await stopServers();
});

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Bytes in buffers that are still referenced. */
function arrayBuffers(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

/** Each answer has a buffer of its own, as each call's answer has. */
const answerLarge: ExchangeListener = (req, res) => {
  // In one frame with the head, whatever the window.
  if (req.url === "/none") return void res.end();
  res.writeHead(200, {});
  res.end(req.url === "/empty" ? undefined : Buffer.alloc(ANSWER_BYTES));
};

/** A client by hand, which takes what its windows allow and reads all that comes. */
function rawClient(socket: Socket, initialWindow: number) {
  const data = new Map<number, number>();
  const resets = new Map<number, number>();
  const goneAway: number[] = [];
  let rest = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 9) {
      const length = rest.readUIntBE(0, 3);
      if (rest.length < 9 + length) return;
      const [type, id, payload] = [rest[3], rest.readUInt32BE(5), rest.subarray(9, 9 + length)];
      if (type === 0) data.set(id, (data.get(id) ?? 0) + length);
      if (type === RST_STREAM) resets.set(id, payload.readUInt32BE(0));
      if (type === GOAWAY) goneAway.push(payload.readUInt32BE(4));
      rest = rest.subarray(9 + length);
    }
  });
  const settings = Buffer.alloc(6);
  settings.writeUInt16BE(constants.NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0);
  settings.writeUInt32BE(initialWindow, 2);
  socket.write(Buffer.concat([Buffer.from(PREFACE), frame(SETTINGS, 0, settings)]));
  return {
    /** Bytes of answers, by stream. */
    data,
    /** Codes with which streams were reset. */
    resets,
    /** Codes with which the server said goodbye. */
    goneAway,
    ask: (stream: number) => socket.write(frame(HEADERS, END_OF_BOTH, GET_ROOT, stream)),
    /** Stream 0 is the connection. */
    widen(stream: number, bytes: number) {
      const payload = Buffer.alloc(4);
      payload.writeUInt32BE(bytes);
      socket.write(frame(WINDOW_UPDATE, 0, payload, stream));
    },
  };
}

function dialWithoutWindow(url: string): ClientHttp2Session {
  const session = connectHttp2(url, { settings: { initialWindowSize: 0 } }).on("error", () => {});
  sessions.push(session);
  return session;
}

/** A request whose answer is read; resolves with the code of the stream's end. */
async function ended(stream: ClientHttp2Stream): Promise<number | undefined> {
  await once(stream.on("error", () => {}).resume(), "close");
  return stream.rstCode;
}

describe("a stream whose client keeps its window at 0", () => {
  test.each(["/", "/empty"])("and requests %s is reset, and its connection goes on", async (path) => {
    const { url } = await start(answerLarge, LIMITS);
    const session = dialWithoutWindow(url);
    const pinging = setInterval(() => session.ping(() => {}), UNREAD_TIMEOUT_MS / 5);
    try {
      expect(await ended(session.request({ ":path": path }))).toBe(constants.NGHTTP2_CANCEL);
      expect(await ended(session.request({ ":path": "/none" }))).toBe(constants.NGHTTP2_NO_ERROR);
    } finally {
      clearInterval(pinging);
    }
  });

  test("is reset while a slow stream beside it is not", async () => {
    const client = rawClient(dial(await start(answerLarge, LIMITS)), 0);
    for (const stream of [1, 3, 5]) client.ask(stream);
    const taking = setInterval(() => client.widen(3, 1), UNREAD_TIMEOUT_MS / 10);
    try {
      await expect.poll(() => [...client.resets.keys()], POLL).toEqual([1, 5]);
      const taken = client.data.get(3) ?? 0;
      // As much again, in as long a time.
      await expect.poll(() => client.data.get(3), POLL).toBeGreaterThan(2 * taken);
    } finally {
      clearInterval(taking);
    }
    expect([...client.resets]).toEqual([1, 5].map((stream) => [stream, constants.NGHTTP2_CANCEL]));
    expect(client.goneAway).toEqual([]);
  });

  test("does not keep its answer in memory", async () => {
    const connections = 3;
    const running = await start(answerLarge, LIMITS);
    const before = arrayBuffers();
    const streams = Array.from({ length: connections }, () => dialWithoutWindow(running.url)).flatMap((session) =>
      Array.from({ length: HTTP_LIMITS.streamsMax }, () => session.request()),
    );
    const allEnded = Promise.all(streams.map(ended));
    await Promise.all(streams.map((stream) => once(stream, "response")));
    const all = connections * HTTP_LIMITS.streamsMax * ANSWER_BYTES;
    expect(arrayBuffers() - before).toBeGreaterThan(all / 2);
    expect(new Set(await allEnded)).toEqual(new Set([constants.NGHTTP2_CANCEL]));
    await expect.poll(() => arrayBuffers() - before, POLL).toBeLessThan(all / 100);
  });
});

describe("a connection whose own window is exhausted", () => {
  test("is ended even if its client goes on sending", async () => {
    const socket = dial(await start(answerLarge, LIMITS));
    const client = rawClient(socket, 2 * ANSWER_BYTES);
    client.ask(1);
    const sending = setInterval(() => client.widen(1, 1), UNREAD_TIMEOUT_MS / 5);
    await once(socket, "close").finally(() => clearInterval(sending));
    expect(client.data).toEqual(new Map([[1, 65_535]]));
    expect(client.goneAway).toEqual([constants.NGHTTP2_ENHANCE_YOUR_CALM]);
  });

  test("goes on while its client reads one answer slowly, as do the answers that wait for it", async () => {
    const client = rawClient(dial(await start(answerLarge, LIMITS)), 2 * ANSWER_BYTES);
    for (const stream of [1, 3]) client.ask(stream);
    const startedAt = performance.now();
    while (performance.now() - startedAt < 4 * UNREAD_TIMEOUT_MS) {
      const [before] = client.data.values();
      client.widen(0, 1);
      await expect.poll(() => [...client.data.values()][0], POLL).not.toBe(before);
    }
    // One answer is sent after the other.
    expect([...client.data.keys()]).toEqual([1]);
    client.widen(0, 2 * ANSWER_BYTES);
    await expect.poll(() => [...client.data.values()], POLL).toEqual([ANSWER_BYTES, ANSWER_BYTES]);
    expect([client.resets.size, client.goneAway.length]).toEqual([0, 0]);
  });
});
