import { once } from "node:events";
import { createServer } from "node:http";
import { constants } from "node:http2";
import { afterEach, describe, expect, test } from "vitest";
import { listen, serveOn } from "../../src/transport/http/server.ts";
import type { ExchangeListener } from "../../src/transport/request/exchange.ts";
import { ask, dial, dialHttp2, echo, goAwayCode, received, start, stopServers } from "../harness/echo-server.ts";
import { frame, GET_ROOT, HEADERS, PREFACE, SETTINGS } from "../harness/http2-frames.ts";
import { LISTEN_OPTIONS } from "../harness/listen-options.ts";
import { closeAll, portOf } from "../servers/loopback.ts";

afterEach(stopServers);

// threat: H13
test("each connection that cannot be accepted is reported, and does not end the server", async () => {
  const errors: Error[] = [];
  const accepting = createServer(echo);
  await serveOn(accepting, { host: "127.0.0.1", port: 0, onError: (err) => errors.push(err) });
  for (const code of ["ENFILE", "ENOBUFS"]) accepting.emit("error", Object.assign(new Error(code), { code }));
  expect(errors.map(({ message }) => message)).toEqual(["ENFILE", "ENOBUFS"]);
  expect(await (await fetch(`http://127.0.0.1:${portOf(accepting)}/a`)).text()).toBe("1.1 GET /a");
  await closeAll(accepting);
});

describe("one port", () => {
  test.each(["nope.invalid", "192.0.2.1"])(
    "on %s, which is not of this machine, is refused with what to set",
    async (host) => {
      await expect(listen(echo, { ...LISTEN_OPTIONS, host })).rejects.toThrow(
        /^HOST: cannot listen on \S+:0 \(E\w+\); set HOST to an address of this machine, such as 127\.0\.0\.1, or /,
      );
    },
  );

  test("speaks HTTP/1.1 and HTTP/2, whichever the client begins with", async () => {
    const { url } = await start();
    expect(await (await fetch(`${url}/a`)).text()).toBe("1.1 GET /a");
    expect(await ask(dialHttp2({ url }))).toBe("2.0 GET /x");
  });

  test.each([
    ["PATCH / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "1.1 PATCH /"],
    ["PROPFIND / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "1.1 PROPFIND /"],
    [`POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc`, "1.1 POST /b"],
  ])("accepts %.8s… even byte by byte", async (request, answer) => {
    const socket = dial(await start());
    const all = received(socket);
    for (const byte of request) {
      socket.write(byte);
      await new Promise(setImmediate);
    }
    expect(await all).toContain(answer);
  });

  test("accepts the preface of HTTP/2 byte by byte", async () => {
    const socket = dial(await start());
    for (const byte of PREFACE) {
      socket.write(byte);
      await new Promise(setImmediate);
    }
    socket.write(frame(SETTINGS, 0));
    const [settings] = await once(socket, "data");
    expect(settings[3]).toBe(SETTINGS);
  });

  // threat: H2
  test.each([
    ["nothing", ""],
    ["the beginning of the preface", "PRI"],
    ["half a head", "GET / HTTP/1.1\r\nHost:"],
  ])("answers 408 to a client that sends %s and then waits", async (_what, bytes) => {
    const socket = dial(await start(echo, { headersTimeoutMs: 200 }));
    socket.write(bytes);
    const answer = await received(socket);
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toMatch(/access-control-allow-origin: \*/i);
  });

  test("goes on after a client that disconnects before its first bytes, and one that speaks neither", async () => {
    const running = await start();
    dial(running).end();
    dial(running).end("PR");
    expect(await received(dial(running).end("PRI * HTTP/1.1\r\nHost: x\r\n\r\n"))).not.toMatch(/ 200 /);
    expect((await fetch(running.url)).status).toBe(200);
  });
});

describe("an HTTP/2 connection", () => {
  test("has a limited number of concurrent requests", async () => {
    const running = await start(() => {}, { streamsMax: 7 });
    const session = dialHttp2(running);
    const [settings] = await once(session, "remoteSettings");
    expect(settings).toMatchObject({ maxConcurrentStreams: 7, enablePush: false });
  });

  test("with one request whose head is beyond the limit has only that request rejected", async () => {
    const session = dialHttp2(await start());
    // Before the client knows what Node would hold it to, and after.
    expect(await ask(session, { "x-large": "a".repeat(20_000) })).toContain("16 KiB");
    await new Promise((resolve) => session.ping(resolve));
    expect(await ask(session, { "x-large": "a".repeat(20_000) })).toContain("16 KiB");
    expect(await ask(session, { "x-large": "a".repeat(60_000) })).toContain("16 KiB");
    expect(await ask(session)).toBe("2.0 GET /x");
  });

  test("with a request that never ends has that request reset", async () => {
    const session = dialHttp2(await start(echo, { headersTimeoutMs: 100, requestTimeoutMs: 100 }));
    await once(session, "connect");
    const stream = session.request({ ":method": "POST" }).on("error", () => {});
    stream.write("a");
    await once(stream, "close");
    expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL);
    expect(await ask(session)).toBe("2.0 GET /x");
  });

  test.each([
    ["half a preface", Buffer.from(PREFACE.slice(0, 10))],
    ["half a frame's head", Buffer.concat([Buffer.from(PREFACE), frame(SETTINGS, 0), Buffer.from([0, 0])])],
    [
      "half a head of a request",
      Buffer.concat([Buffer.from(PREFACE), frame(SETTINGS, 0), frame(HEADERS, 0, GET_ROOT.subarray(0, 1), 1)]),
    ],
  ])("that ends with %s is closed", async (_what, bytes) => {
    const socket = dial(await start(echo, { headersTimeoutMs: 100 }));
    socket.write(bytes);
    await received(socket);
  });

  test("that pings without a request is closed after the keep-alive time", async () => {
    const session = dialHttp2(await start(echo, { keepAliveTimeoutMs: 200 }));
    await once(session, "connect");
    const pinging = setInterval(() => session.ping(() => {}), 20);
    try {
      expect(await goAwayCode(session)).toBe(constants.NGHTTP2_NO_ERROR);
    } finally {
      clearInterval(pinging);
    }
  });

  test("that is idle after a part of a head is closed, too", async () => {
    const socket = dial(await start(echo, { keepAliveTimeoutMs: 100 }));
    const head = frame(HEADERS, 0, GET_ROOT.subarray(0, 1), 1);
    socket.write(Buffer.concat([Buffer.from(PREFACE), frame(SETTINGS, 0), head]));
    await received(socket);
  });

  test("without a request is closed after the keep-alive time", async () => {
    const session = dialHttp2(await start(echo, { keepAliveTimeoutMs: 100 }));
    expect(await goAwayCode(session)).toBe(constants.NGHTTP2_NO_ERROR);
  });

  test("with a request under way is kept beyond that time while its client answers pings", async () => {
    const answers: (() => void)[] = [];
    const waiting: ExchangeListener = (_req, res) => {
      answers.push(() => {
        res.writeHead(200, {});
        res.end("late");
      });
    };
    const session = dialHttp2(await start(waiting, { keepAliveTimeoutMs: 50 }));
    const asked = ask(session);
    for (let n = 0; n < 5; n++) await once(session, "ping");
    for (const answer of answers) answer();
    expect(await asked).toBe("late");
  });
});
