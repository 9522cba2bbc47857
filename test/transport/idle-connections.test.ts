// promise: http.idle
import { EventEmitter, once } from "node:events";
import type { Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { Outgoing } from "../../src/transport/request/exchange.ts";
import { dial, start, stopServers } from "../harness/echo-server.ts";

const GET = "GET /x HTTP/1.1\r\nHost: x\r\n\r\n";
const LIMITS = { keepAliveTimeoutMs: 200, headersTimeoutMs: 200 };
/** Sent before a request, it is no part of one. */
const EMPTY_LINE = "\r\n";

afterEach(stopServers);

/** All that the server answers to a client that sends empty lines until it is disconnected. */
async function answersToEmptyLines(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk;
  });
  // A line that crosses the end of the connection is answered with a reset.
  socket.on("error", () => {});
  const sending = setInterval(() => socket.write(EMPTY_LINE), LIMITS.keepAliveTimeoutMs / 5);
  const closed = new EventEmitter();
  socket.once("close", () => closed.emit("close"));
  await once(closed, "close", { signal: AbortSignal.timeout(20_000) }).finally(() => clearInterval(sending));
  return text;
}

describe("an HTTP/1.1 connection that receives empty lines and no request", () => {
  test("is closed after an answer", async () => {
    const socket = dial(await start(undefined, LIMITS));
    socket.write(GET);
    expect(await answersToEmptyLines(socket)).toMatch(/^HTTP\/1\.1 200 .*GET \/x/s);
  });

  test("is closed before the first request, with 408", async () => {
    expect(await answersToEmptyLines(dial(await start(undefined, LIMITS)))).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("is not closed while a request waits for its answer", async () => {
    const late = Promise.withResolvers<Outgoing>();
    const running = await start(
      (req, res) => void (req.url === "/late" ? late.resolve(res) : res.end("at once")),
      LIMITS,
    );
    const [waiting, idle] = [dial(running), dial(running)];
    waiting.write(GET.replace("/x", "/late"));
    const answer = await late.promise;
    const answers = answersToEmptyLines(waiting);
    idle.write(GET);
    await answersToEmptyLines(idle);
    answer.end("late");
    expect(await answers).toMatch(/^HTTP\/1\.1 200 .*late/s);
  });
});
