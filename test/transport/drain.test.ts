// promise: verify.deploys
import { once } from "node:events";
import { constants } from "node:http2";
import type { Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { HttpServer } from "../../src/transport/http/server.ts";
import { ask, dial, dialHttp2, echo, goAwayCode, received, start, stopServers } from "../harness/echo-server.ts";
import { frame, PREFACE, SETTINGS } from "../harness/http2-frames.ts";
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

/** A request on a connection that is open when the server begins to drain is answered, and ends it. */
async function expectLateAnswer(running: HttpServer, socket: Socket): Promise<void> {
  const closed = running.close(0);
  await untilRefused(running);
  socket.write("GET /late HTTP/1.1\r\nHost: x\r\n\r\n");
  const answer = await received(socket);
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
  expect(answer).toMatch(/^connection: close/im);
  await closed;
}

describe("a server that drains", () => {
  test("sends GOAWAY to HTTP/2 clients at once, answers requests under way, and serves new connections meanwhile", async () => {
    const underWay = Promise.withResolvers<() => void>();
    const running = await start((req, res) => {
      if (req.url === "/slow") underWay.resolve(() => echo(req, res));
      else echo(req, res);
    });
    const idle = dialHttp2(running);
    const busy = dialHttp2(running);
    expect(await ask(idle)).toBe("2.0 GET /x");
    const slow = ask(busy, { ":path": "/slow" });
    const finish = await underWay.promise;
    const codes = Promise.all([goAwayCode(idle), goAwayCode(busy)]);
    const closed = running.close(2_000);
    expect(await codes).toEqual([constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_NO_ERROR]);
    const late = dialHttp2(running);
    const lateCode = goAwayCode(late);
    expect(await ask(late)).toBe("2.0 GET /x");
    expect(await lateCode).toBe(constants.NGHTTP2_NO_ERROR);
    finish();
    expect(await slow).toBe("2.0 GET /slow");
    await closed;
  });

  test("serves HTTP/2 connections that are made meanwhile until the notice ends, and then ends them", async () => {
    const noticeMs = 3_000;
    const slow = Promise.withResolvers<() => void>();
    const running = await start((req, res) => {
      if (req.url === "/slow") slow.resolve(() => echo(req, res));
      else echo(req, res);
    });
    const before = dialHttp2(running);
    expect(await ask(before)).toBe("2.0 GET /x");
    const goAway = goAwayCode(before);
    const startedMs = performance.now();
    const waited = startWaitMeter();
    const closed = running.close(noticeMs);
    await goAway;
    const idle = dialHttp2(running);
    const late = [dialHttp2(running), dialHttp2(running)];
    const codes = Promise.all([idle, ...late].map(goAwayCode));
    const crossing = ask(late[0] ?? idle, { ":path": "/slow" });
    for (let round = 0; round < 5; round++) {
      for (const session of late) {
        const asked = [ask(session), ask(session), ask(session)];
        expect(await Promise.all(asked)).toEqual(asked.map(() => "2.0 GET /x"));
      }
    }
    expect(await codes).toEqual([0, 0, 0]);
    expect(performance.now() - startedMs).toBeGreaterThan(noticeMs - 10);
    (await slow.promise)();
    expect(await crossing).toBe("2.0 GET /slow");
    await closed;
    expect(waited()).toBeLessThan(noticeMs + 2_000);
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
    const running = await start();
    const socket = dial(running);
    await once(socket, "connect");
    // The server has accepted it, too.
    expect((await fetch(running.url)).status).toBe(200);
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
    const running = await start();
    const socket = dial(running);
    socket.write("GET /first HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "data");
    await expectLateAnswer(running, socket);
  });

  test("answers a client that begins HTTP/2 late, and does not wait for such a connection, used or not", async () => {
    const running = await start();
    const sockets = [dial(running), dial(running)];
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    // The server has accepted them, too.
    expect((await fetch(running.url)).status).toBe(200);
    const waited = startWaitMeter();
    const closed = running.close(0);
    await untilRefused(running);
    const [used, unused] = sockets.map((socket) => dialHttp2(running, socket));
    const codes = Promise.all([used, unused].map((session) => session && goAwayCode(session)));
    expect(used && (await ask(used))).toBe("2.0 GET /x");
    expect(await codes).toEqual([0, 0]);
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
