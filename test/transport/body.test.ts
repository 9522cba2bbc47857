import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect as connectHttp2, constants, type ServerHttp2Stream } from "node:http2";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { Code } from "@connectrpc/connect";
import { afterEach, describe, expect, test } from "vitest";
import { type HttpServer, listen } from "../../src/transport/http/server.ts";
import { arrivedBody, collectBody } from "../../src/transport/request/body.ts";
import { clientDisconnectSignal } from "../../src/transport/request/client-disconnect.ts";
import type { Incoming } from "../../src/transport/request/exchange.ts";
import { createHeldBodies } from "../../src/transport/request/held-bodies.ts";
import { LISTEN_OPTIONS } from "../harness/listen-options.ts";

let server: HttpServer | undefined;

afterEach(() => server?.close(0));

/** What reading a body comes to, and whether the signal is aborted, once the body has come and `until` is over. */
async function readAfter(
  ask: (url: URL, arrived: Promise<unknown>) => Promise<unknown>,
  until: (req: Incoming) => Promise<unknown>,
) {
  const arrived = Promise.withResolvers<void>();
  const outcome = Promise.withResolvers<unknown>();
  server = await listen(async (req, res) => {
    req.once("readable", () => arrived.resolve());
    await until(req);
    const body = Promise.resolve(
      arrivedBody(req) ?? collectBody(req, { call: { address: null } }, createHeldBodies(0)),
    );
    const read = await body.then(String, ({ code }: { code: Code }) => code);
    outcome.resolve({ read, aborted: clientDisconnectSignal(res).aborted });
    res.end();
  }, LISTEN_OPTIONS);
  await ask(new URL(server.url), arrived.promise);
  return outcome.promise;
}

/** The client has disconnected, and Node has emitted its events. */
async function gone(req: Incoming): Promise<void> {
  const { socket, stream } = req as IncomingMessage & { stream?: ServerHttp2Stream };
  // Not by `once`, which an error ends.
  await new Promise((resolve) => (stream ?? socket).once("close", resolve));
}

describe("if the client disconnects during authentication, its body ends early and the signal is aborted", () => {
  test.each([
    ["whole", "2"],
    ["in part", "9"],
  ])("when it had come %s, over HTTP/1.1", async (_what, length) => {
    const outcome = await readAfter(async ({ hostname, port }, arrived) => {
      const socket = connect(Number(port), hostname);
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n{}`);
      await arrived;
      socket.resetAndDestroy();
    }, gone);
    expect(outcome).toEqual({ read: Code.Canceled, aborted: true });
  });

  test.each([
    ["whole", true],
    ["in part", false],
  ])("when it had come %s, over HTTP/2", async (_what, isWhole) => {
    const outcome = await readAfter(async ({ href }, arrived) => {
      const session = connectHttp2(href);
      const stream = session.request({ ":method": "POST", ":path": "/" }).on("error", () => {});
      if (isWhole) stream.end("{}");
      else stream.write("{}");
      await arrived;
      stream.close(constants.NGHTTP2_CANCEL);
      await once(stream, "close");
      session.close();
    }, gone);
    expect(outcome).toEqual({ read: Code.Canceled, aborted: true });
  });
});

test("if the client stays, its body is read and the signal is not aborted", async () => {
  const outcome = await readAfter(
    async ({ href }) => (await fetch(href, { method: "POST", body: "{}" })).text(),
    setImmediate,
  );
  expect(outcome).toEqual({ read: "{}", aborted: false });
});
