import { once } from "node:events";
import { constants } from "node:http2";
import { connect, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type HttpServer, listen } from "../../src/transport/http/server.ts";
import {
  END_OF_BOTH,
  field,
  frame,
  GET_ROOT,
  HEADERS,
  PREFACE,
  RST_STREAM,
  SETTINGS,
} from "../harness/http2-frames.ts";
import { LIMITS, LISTEN_OPTIONS } from "../harness/listen-options.ts";

let server: HttpServer | undefined;
/** Errors without a listener, each of which would end the process. */
const unheard: unknown[] = [];
const hear = (err: unknown): void => void unheard.push(err);

beforeAll(() => void process.on("uncaughtExceptionMonitor", hear));
afterAll(() => void process.off("uncaughtExceptionMonitor", hear));
afterEach(async () => {
  await server?.close(0);
  expect(unheard.splice(0)).toEqual([]);
});

async function start(): Promise<HttpServer> {
  const limits = { ...LIMITS, headersTimeoutMs: 50 };
  server = await listen((_req, res) => void res.end("served"), { ...LISTEN_OPTIONS, limits });
  return server;
}

async function dial({ url }: HttpServer): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
  await once(socket, "connect");
  return socket;
}

async function expectServed({ url }: HttpServer): Promise<void> {
  expect(await (await fetch(url)).text()).toBe("served");
}

describe("a client that resets its connection does not end the process", () => {
  test.each([
    ["a CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["what is no HTTP", "NOPE\r\n\r\n"],
    ["an unknown Expect", "POST / HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n"],
    ["half a body that is broken", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
  ])("after %s", async (_what, bytes) => {
    const running = await start();
    // Now and then it has to come between two steps of the server's.
    for (let attempt = 0; attempt < 100; attempt++) {
      const socket = await dial(running);
      socket.write(bytes);
      for (let turns = 0; turns < attempt % 5; turns++) await setImmediate();
      socket.resetAndDestroy();
    }
    await expectServed(running);
  });

  test.each(["", "PR"])("after the answer that it is too slow, having sent %j", async (bytes) => {
    const running = await start();
    for (let attempt = 0; attempt < 5; attempt++) {
      const socket = await dial(running);
      socket.write(bytes);
      await once(socket, "data");
      socket.resetAndDestroy();
    }
    await expectServed(running);
  });
});

describe("a client that cancels a request together with its first bytes does not end the process", () => {
  const codes = [constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_CANCEL];

  test.each(["100-continue", "100-Continue", "more"].flatMap((word) => codes.map((code) => [word, code] as const)))(
    "expecting %s, with code %i",
    async (expected, code) => {
      const running = await start();
      const socket = await dial(running);
      const head = Buffer.concat([GET_ROOT, field("expect", expected)]);
      const cancel = frame(RST_STREAM, 0, Buffer.from([0, 0, 0, code]), 1);
      socket.write(
        Buffer.concat([Buffer.from(PREFACE), frame(SETTINGS, 0), frame(HEADERS, END_OF_BOTH, head, 1), cancel]),
      );
      await once(socket, "data");
      await expectServed(running);
      socket.destroy();
    },
  );

  test("asking for a tunnel", async () => {
    const running = await start();
    const socket = await dial(running);
    const head = Buffer.concat([field(":method", "CONNECT"), field(":authority", "a:1")]);
    const cancel = frame(RST_STREAM, 0, Buffer.from([0, 0, 0, 0]), 1);
    socket.write(Buffer.concat([Buffer.from(PREFACE), frame(SETTINGS, 0), frame(HEADERS, 0x4, head, 1), cancel]));
    await once(socket, "data");
    await expectServed(running);
    socket.destroy();
  });
});

test("a request that is rejected for its Expect has one answer, even if its body is broken", async () => {
  const socket = await dial(await start());
  socket.write("POST / HTTP/1.1\r\nHost: a\r\nExpect: more\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
  let answers = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    answers += chunk;
  });
  await once(socket, "close");
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 417"]);
});
