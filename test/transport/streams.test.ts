import { once } from "node:events";
import { connect } from "node:http2";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterEach, expect, test } from "vitest";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "../../gen/health/v1/health_pb.ts";
import type { HttpServer } from "../../src/transport/http/server.ts";
import { startOpenServices } from "../harness/open-services.ts";

let server: HttpServer | undefined;

afterEach(() => server?.close(0));

test("a watcher that disconnects before the first answer makes room for another", async () => {
  let ready = Promise.withResolvers<boolean>();
  const asked: (() => void)[] = [];
  const isReady = () => {
    asked.shift()?.();
    return ready.promise;
  };
  server = await startOpenServices(isReady);
  const { url } = server;
  const session = connect(url);
  for (let n = 0; n < 100; n++) {
    const isAsked = new Promise<void>((resolve) => asked.push(resolve));
    const stream = session.request({
      ":method": "POST",
      ":path": `/${Health.typeName}/Watch`,
      "content-type": "application/grpc",
    });
    stream.end(Buffer.alloc(5));
    await isAsked;
    stream.close();
    // By the time of this answer the server has seen what came before it on the connection.
    await once(session.request({ ":path": "/healthz" }).resume(), "close");
    ready.resolve(true);
    ready = Promise.withResolvers();
  }
  session.close();
  ready.resolve(true);
  const leave = new AbortController();
  const first = await createClient(Health, createGrpcTransport({ baseUrl: url }))
    .watch({}, { signal: leave.signal })
    [Symbol.asyncIterator]()
    .next()
    .then(
      ({ value }) => value?.status,
      (err: unknown) => Code[ConnectError.from(err).code],
    );
  leave.abort();
  expect(first).toBe(ServingStatus.SERVING);
});
