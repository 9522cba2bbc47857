import { once } from "node:events";
import { connect } from "node:http2";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterEach, expect, test } from "vitest";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "../../gen/health/v1/health_pb.ts";
import { createErrorReporter, createErrorTranslator } from "../../src/interceptors/errors.ts";
import { createAccessLog } from "../../src/transport/access-log.ts";
import { createCors } from "../../src/transport/cors.ts";
import { createHandler } from "../../src/transport/handler.ts";
import { createOpenHandlers } from "../../src/transport/open-services.ts";
import { createProbes, type Readiness } from "../../src/transport/probes.ts";
import { type HttpServer, listen } from "../../src/transport/server.ts";
import { LISTEN_OPTIONS } from "../harness/listen-options.ts";

let server: HttpServer | undefined;

afterEach(() => server?.close(0));

/** A service without RPCs of its own, which is found ready when the test says so. */
async function startWithReadiness(isReady: Readiness["isReady"]): Promise<HttpServer> {
  const log = pino({ level: "silent" });
  const metrics = new Registry();
  const readiness = { isReady, draining: new AbortController().signal };
  const principal = { kind: "dashboard_user", userId: "user-1", tenantId: "ten_1" } as const;
  const handler = createHandler({
    handlers: [],
    rpcs: [],
    openHandlers: createOpenHandlers([], readiness),
    gate: { judge: async () => principal, identify: async () => {}, refuse: async () => {}, count: () => {} },
    translate: createErrorTranslator(createErrorReporter(log)),
    checkCaller: async () => ({ principal, userId: principal.userId }),
    policies: new Map(),
    probes: createProbes({ metrics, readiness }),
    cors: createCors("*"),
    accessLog: createAccessLog({ log, writeLine: () => {}, metrics }),
  });
  server = await listen(handler, LISTEN_OPTIONS);
  return server;
}

test("a watcher who leaves before the first answer makes room for another", async () => {
  let ready = Promise.withResolvers<boolean>();
  const asked: (() => void)[] = [];
  const { url } = await startWithReadiness(() => {
    asked.shift()?.();
    return ready.promise;
  });
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
