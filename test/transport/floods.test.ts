// promise: http.pings
import { once } from "node:events";
import { type ClientHttp2Session, constants } from "node:http2";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { ExchangeListener, Outgoing } from "../../src/transport/request/exchange.ts";
import { ask, dial, dialHttp2, echo, goAwayCode, received, start, stopServers } from "../harness/echo-server.ts";
import {
  CONTINUATION,
  END_OF_BOTH,
  END_OF_STREAM,
  field,
  frame,
  GET_ROOT,
  HEADERS,
  PING,
  PREFACE,
  RST_STREAM,
  SETTINGS,
} from "../harness/http2-frames.ts";

const PING_FRAME = frame(PING, 0, Buffer.alloc(8));
const CANCEL = Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL]);

afterEach(stopServers);

/** The error codes in the GOAWAYs of a raw connection's bytes. */
function rawGoAwayCodes(bytes: string): number[] {
  const buffer = Buffer.from(bytes, "latin1");
  const codes: number[] = [];
  for (let at = 0; at + 9 <= buffer.length; at += 9 + buffer.readUIntBE(at, 3)) {
    if (buffer[at + 3] === 0x7) codes.push(buffer.readUInt32BE(at + 13));
  }
  return codes;
}

describe("an HTTP/2 connection", () => {
  // threat: H3
  test("that begins and cancels requests too fast is ended (CVE-2023-44487)", async () => {
    let begun = 0;
    const first = Promise.withResolvers<void>();
    const begin = (): void => {
      begun += 1;
      first.resolve();
    };
    const running = await start(begin, { resetsBurst: 50, resetsPerSecond: 1 });
    const socket = dial(running);
    const all = received(socket);
    socket.write(Buffer.concat([Buffer.from(PREFACE), frame(SETTINGS, 0), frame(HEADERS, END_OF_BOTH, GET_ROOT, 1)]));
    await first.promise;
    for (let n = 1; n < 10_000 && socket.writable; n++) {
      const stream = 2 * n + 1;
      socket.write(frame(HEADERS, END_OF_BOTH, GET_ROOT, stream));
      if (n % 10 === 0) await new Promise(setImmediate);
      socket.write(frame(RST_STREAM, 0, CANCEL, stream));
    }
    expect(rawGoAwayCodes(await all)).toContain(constants.NGHTTP2_INTERNAL_ERROR);
    expect(begun).toBeLessThanOrEqual(200);
  });

  // threat: H3
  test.each([
    ["pings", PING_FRAME],
    ["settings", frame(SETTINGS, 0)],
  ])("that floods with %s is ended with ENHANCE_YOUR_CALM", async (_what, flooding) => {
    const running = await start(echo, { controlFramesMax: 50 });
    const socket = dial(running);
    const all = received(socket);
    socket.write(PREFACE);
    socket.write(frame(SETTINGS, 0));
    for (let n = 0; n < 60; n++) socket.write(flooding);
    expect(rawGoAwayCodes(await all)).toContain(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    expect((await fetch(running.url)).status).toBe(200);
  });

  // threat: H3
  test("that never ends its headers is ended, and its request never begins (CVE-2024-27983)", async () => {
    let begun = 0;
    const running = await start((req, res) => {
      begun += 1;
      return echo(req, res);
    });
    const socket = dial(running);
    const all = received(socket);
    socket.write(Buffer.concat([Buffer.from(PREFACE), frame(SETTINGS, 0), frame(HEADERS, END_OF_STREAM, GET_ROOT, 1)]));
    let sent = 0;
    for (; sent < 20_000 && socket.writable; sent++) {
      socket.write(frame(CONTINUATION, 0, field(`x-${sent}`, "a".repeat(100)), 1));
      await new Promise(setImmediate);
    }
    await all;
    expect(sent).toBeLessThan(20_000);
    expect(begun).toBe(0);
    expect((await fetch(running.url)).status).toBe(200);
    expect(begun).toBe(1);
  });

  test("that pings at a usual rate is kept", async () => {
    const session = dialHttp2(await start(echo, { controlFramesMax: 50 }));
    await once(session, "connect");
    for (let n = 0; n < 20; n++) await new Promise((resolve) => session.ping(resolve));
    expect(await ask(session)).toBe("2.0 GET /x");
  });

  test("that pings after each answer, as gRPC clients do, is kept, whatever the number of requests", async () => {
    const session = dialHttp2(await start(echo, { controlFramesMax: 10 }));
    for (let n = 0; n < 100; n++) {
      expect(await ask(session)).toBe("2.0 GET /x");
      await ping(session);
    }
  });

  test("that pings after each DATA frame of one long answer is kept", async () => {
    const running = await start(answerInParts(100), { controlFramesMax: 10 });
    const session = dialHttp2(running);
    const stream = session.request({ ":path": "/x" });
    let parts = 0;
    for await (const _part of stream) {
      parts++;
      await ping(session);
    }
    expect([parts, stream.rstCode, session.closed]).toEqual([100, constants.NGHTTP2_NO_ERROR, false]);
  });

  test("whose pings exceed its requests is ended, however many requests there were long before", async () => {
    const session = dialHttp2(await start(echo, { controlFramesMax: 5, controlFramesWindowMs: 50 }));
    const code = goAwayCode(session);
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    for (let n = 0; n < 100; n++) await ask(session);
    vi.advanceTimersByTime(60);
    await Promise.all(Array.from({ length: 10 }, () => ping(session).catch(() => {})));
    expect(await code).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  });

  test("that floods has its requests in progress answered before it is ended", async () => {
    const { promise: held, resolve: hold } = Promise.withResolvers<Outgoing>();
    const socket = dial(await start((_req, res) => hold(res), { controlFramesMax: 10 }));
    const all = received(socket);
    let soFar = "";
    socket.on("data", (chunk: Buffer) => {
      soFar += chunk.toString("latin1");
    });
    socket.write(Buffer.concat([Buffer.from(PREFACE), frame(SETTINGS, 0), frame(HEADERS, END_OF_BOTH, GET_ROOT, 1)]));
    const res = await held;
    socket.write(Buffer.concat(Array<Buffer>(12).fill(PING_FRAME)));
    await expect.poll(() => soFar, { interval: 5 }).toContain("too_many_pings");
    res.end("answered");
    const bytes = await all;
    expect(rawGoAwayCodes(bytes)[0]).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    // What gRPC clients look for, to ping more rarely.
    expect(bytes).toContain("too_many_pings");
    expect(bytes.indexOf("answered")).toBeGreaterThan(bytes.indexOf("too_many_pings"));
  });

  test.each([
    ["goes on flooding", 30, 60_000],
    ["keeps them open", 12, 200],
  ])("that floods with requests in progress, and then %s, is destroyed", async (_what, pings, requestTimeoutMs) => {
    const socket = dial(
      await start(() => {}, { controlFramesMax: 10, headersTimeoutMs: requestTimeoutMs, requestTimeoutMs }),
    );
    const all = received(socket);
    socket.write(Buffer.concat([Buffer.from(PREFACE), frame(SETTINGS, 0), frame(HEADERS, END_OF_BOTH, GET_ROOT, 1)]));
    for (let n = 0; n < pings; n++) socket.write(PING_FRAME);
    expect(rawGoAwayCodes(await all)[0]).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  });
});

/** Resolves when the server has acknowledged. */
function ping(session: ClientHttp2Session): Promise<void> {
  return new Promise((resolve, reject) => {
    session.ping((err) => (err === null ? resolve() : reject(err)));
  });
}

/** Answers in parts, each in a DATA frame of its own. */
function answerInParts(parts: number): ExchangeListener {
  return (_req, res) => {
    let sent = 0;
    const send = (): void => {
      if (++sent === parts) res.end("part");
      else res.write("part", () => setTimeout(send, 1));
    };
    send();
  };
}
