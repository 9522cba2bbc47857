// promise: verify.deploys
import { once } from "node:events";
import { constants } from "node:http2";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { drain } from "../../src/transport/http/drain.ts";
import { createListener, type Listener } from "../../src/transport/http/listener.ts";
import { boundTo, type HttpServer, serveOn } from "../../src/transport/http/server.ts";
import { ask, dial, dialHttp2, echo, goAwayCode, received, start, stopServers } from "../harness/echo-server.ts";
import { frame, PREFACE, SETTINGS } from "../harness/http2-frames.ts";
import { LIMITS, LISTEN_OPTIONS } from "../harness/listen-options.ts";
import { startWaitMeter, waitedMs } from "../harness/waited.ts";

afterEach(stopServers);

/** Until a server takes no more connections. */
async function untilRefused(running: HttpServer): Promise<void> {
  for (let taken = true; taken; ) {
    const socket = dial(running);
    taken = await new Promise((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
  }
}

/** Long enough for a late request, however busy the machine is: connections that have sent theirs do not wait for its end. */
const LATE = { lastRequestMs: 10_000 };

/** Closes a server as `close` does, with a notice that ends when the test says so. */
function drainUntil(listener: Listener): { endNotice: () => void; closed: Promise<void> } {
  const notice = Promise.withResolvers<void>();
  return { endNotice: notice.resolve, closed: drain(listener, notice.promise, LIMITS.lastRequestMs) };
}

/** A server whose requests for /slow are answered when the test says so. */
async function startSlow() {
  const slow = Promise.withResolvers<() => void>();
  const listener = createListener(
    (req, res) => {
      if (req.url === "/slow") slow.resolve(() => echo(req, res));
      else echo(req, res);
    },
    { ...LISTEN_OPTIONS, certificate: null, connections: { max: 0, exempt: [], onRefused: () => {} } },
  );
  await serveOn(listener.server, LISTEN_OPTIONS);
  return { listener, url: `http://127.0.0.1:${boundTo(listener.server).port}`, slow: slow.promise };
}

/** A request on a connection that is open when the server begins to drain is answered, and ends it. */
async function expectLateAnswer(running: HttpServer, socket: Socket): Promise<void> {
  const closed = running.close(0);
  await untilRefused(running);
  // Later than a port that waits for no request would end the connection.
  await sleep(20);
  socket.write("GET /late HTTP/1.1\r\nHost: x\r\n\r\n");
  const answer = await received(socket);
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
  expect(answer).toMatch(/^connection: close/im);
  await closed;
}

/** The server has then accepted the connections that were made before. */
async function untilAccepted(running: HttpServer): Promise<void> {
  const socket = dial(running);
  socket.write("GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  expect(await received(socket)).toMatch(/^HTTP\/1.1 200 /);
}

describe("a server that drains", () => {
  test("sends GOAWAY to HTTP/2 clients at once, answers requests under way, and serves new connections meanwhile", async () => {
    const running = await startSlow();
    const idle = dialHttp2(running);
    const busy = dialHttp2(running);
    expect(await ask(idle)).toBe("2.0 GET /x");
    const slow = ask(busy, { ":path": "/slow" });
    const finish = await running.slow;
    const codes = Promise.all([goAwayCode(idle), goAwayCode(busy)]);
    const { endNotice, closed } = drainUntil(running.listener);
    expect(await codes).toEqual([constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_NO_ERROR]);
    const late = dialHttp2(running);
    const lateCode = goAwayCode(late);
    expect(await ask(late)).toBe("2.0 GET /x");
    endNotice();
    expect(await lateCode).toBe(constants.NGHTTP2_NO_ERROR);
    finish();
    expect(await slow).toBe("2.0 GET /slow");
    await closed;
  });

  test("serves HTTP/2 connections that are made meanwhile until the notice ends, and then ends them", async () => {
    const running = await startSlow();
    const before = dialHttp2(running);
    expect(await ask(before)).toBe("2.0 GET /x");
    const goAway = goAwayCode(before);
    const { endNotice, closed } = drainUntil(running.listener);
    await goAway;
    const idle = dialHttp2(running);
    const late = [dialHttp2(running), dialHttp2(running)];
    const codes = Promise.all([idle, ...late].map(goAwayCode));
    const crossing = ask(late[0] ?? idle, { ":path": "/slow" });
    const finish = await running.slow;
    for (let round = 0; round < 5; round++) {
      for (const session of late) {
        const asked = [ask(session), ask(session), ask(session)];
        expect(await Promise.all(asked)).toEqual(asked.map(() => "2.0 GET /x"));
      }
    }
    expect(await Promise.race([codes, "served"])).toBe("served");
    endNotice();
    expect(await codes).toEqual([0, 0, 0]);
    finish();
    expect(await crossing).toBe("2.0 GET /slow");
    const waited = startWaitMeter();
    await closed;
    expect(waited()).toBeLessThan(2_000);
  });

  test("serves for as long as its notice", async () => {
    const running = await start();
    const startedMs = performance.now();
    await running.close(100);
    // A timer may fire a millisecond early.
    expect(performance.now() - startedMs).toBeGreaterThan(98);
  });

  test("does not wait for an HTTP/2 client that never closes its side", async () => {
    const running = await start();
    const socket = dial(running);
    socket.write(Buffer.concat([Buffer.from(PREFACE), frame(SETTINGS, 0)]));
    await once(socket, "readable");
    socket.pause();
    expect(await waitedMs(running.close(0))).toBeLessThan(5_000);
  });

  test("answers a late first request on a connection that was made before", async () => {
    const running = await start(echo, LATE);
    const socket = dial(running);
    await once(socket, "connect");
    await untilAccepted(running);
    await expectLateAnswer(running, socket);
  });

  test("answers all connections that wait in the kernel's queue when the port is closed", async () => {
    const running = await start();
    const closed = running.close(0);
    // In one step with the close, so that the server has accepted none of them when the notice is over.
    const sockets = Array.from({ length: 100 }, () => dial(running));
    for (const socket of sockets) socket.write("GET /queued HTTP/1.1\r\nHost: x\r\n\r\n");
    const noticeIsOverMs = performance.now() + 20;
    while (performance.now() < noticeIsOverMs);
    for (const answer of await Promise.all(sockets.map(received))) expect(answer).toMatch(/^HTTP\/1.1 200 /);
    await closed;
    await untilRefused(running);
  });

  test("answers late requests on a used connection, until Connection: close", async () => {
    const running = await start(echo, LATE);
    const socket = dial(running);
    socket.write("GET /first HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "data");
    await expectLateAnswer(running, socket);
  });

  test("answers a client that begins HTTP/2 late, and does not wait for such a connection, used or not", async () => {
    const running = await start(echo, LATE);
    const sockets = [dial(running), dial(running)];
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    await untilAccepted(running);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const closed = running.close(0);
    await untilRefused(running);
    const [used, unused] = sockets.map((socket) => dialHttp2(running, socket));
    const codes = Promise.all([used, unused].map((session) => session && goAwayCode(session)));
    const isAccepted = unused && once(unused, "remoteSettings");
    expect(used && (await ask(used))).toBe("2.0 GET /x");
    await isAccepted;
    vi.advanceTimersByTime(LATE.lastRequestMs);
    expect(await codes).toEqual([0, 0]);
    const waited = startWaitMeter();
    await closed;
    expect(waited()).toBeLessThan(2_000);
  });

  test("does not wait for a connection without requests, whatever its protocol", async () => {
    const running = await start();
    const silent = dial(running);
    const half = dial(running);
    half.write("PR");
    await Promise.all([once(silent, "connect"), once(half, "connect")]);
    expect(await ask(dialHttp2(running))).toBe("2.0 GET /x");
    await once(dialHttp2(running), "remoteSettings");
    expect(await waitedMs(running.close(0))).toBeLessThan(2_000);
  });
});
