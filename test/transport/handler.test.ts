import { once } from "node:events";
import { connect } from "node:net";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterEach, expect, test } from "vitest";
import type { ReportError } from "../../src/domain/vocabulary/report-error.ts";
import { createErrorReporter, createErrorTranslator } from "../../src/interceptors/errors.ts";
import { createAccessLog } from "../../src/observability/log/access-log.ts";
import { createCors } from "../../src/transport/answer/cors.ts";
import { createEndpoints } from "../../src/transport/endpoints/endpoints.ts";
import { createReadiness } from "../../src/transport/endpoints/probes.ts";
import { createHandler } from "../../src/transport/handler.ts";
import { createRefusals } from "../../src/transport/http/refusals.ts";
import { type HttpServer, listen } from "../../src/transport/http/server.ts";
import { createClientAddress } from "../../src/transport/request/client-address.ts";
import { createHeldBodies } from "../../src/transport/request/held-bodies.ts";
import { LISTEN_OPTIONS } from "../harness/listen-options.ts";
import { NOTHING_SHED } from "../harness/no-bounds.ts";
import { dashboardUser } from "../harness/principals.ts";

let server: HttpServer | undefined;

afterEach(() => server?.close(0));

/** A service without RPCs, whose access log cannot be written. */
async function startWithoutAccessLog(logLines: string[]): Promise<HttpServer> {
  const log = pino({}, { write: (line: string) => void logLines.push(line) });
  const reportError: ReportError = (message, err, fields) => log.error({ err, ...fields }, message);
  const metrics = new Registry();
  const cors = createCors("*");
  const writeLine = (): never => {
    throw new Error("no space left on device");
  };
  const accessLog = createAccessLog({ log, reportError, writeLine, metrics });
  const gate = { refuse: async () => {}, conclude: () => {} };
  const readiness = createReadiness({ pingStore: async () => {}, draining: new AbortController().signal });
  const principal = dashboardUser();
  const clientAddress = createClientAddress({ ranges: [], header: null });
  const handler = createHandler({
    clientAddress,
    docsUrl: "",
    handlers: [],
    rpcs: [],
    openHandlers: [],
    gate: { check: async () => principal, identify: async () => {}, ...gate },
    translate: createErrorTranslator(createErrorReporter(reportError)),
    policies: new Map(),
    endpoints: createEndpoints({
      checkCaller: async () => ({ principal, userId: principal.userId }),
      clientAddress,
      metrics,
      readiness,
    }),
    cors,
    accessLog,
    inFlight: { requests: 0 },
    bodies: createHeldBodies(0),
    overload: NOTHING_SHED,
  });
  const refusals = createRefusals({ gate, clientAddress, docsUrl: "", cors, accessLog });
  server = await listen(handler, { ...LISTEN_OPTIONS, refusals });
  return server;
}

test.each([
  ["by the lean path", "GET /auth/check HTTP/1.1\r\nHost: x"],
  ["by the other one", "GET /healthz HTTP/1.1\r\nHost: x"],
  ["with a refusal", "GET /no-such-path HTTP/1.1\r\nHost: x"],
  ["with a refusal of its head", "GET /healthz HTTP/1.1"],
])("an error after an answer %s is logged once and ends the connection, not the process", async (_, head) => {
  const logLines: string[] = [];
  const { url } = await startWithoutAccessLog(logLines);
  for (const requestId of ["req_1", "req_2"]) {
    const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
    socket.resume().write(`${head}\r\nX-Request-Id: ${requestId}\r\n\r\n`);
    await once(socket, "close");
    expect(logLines.splice(0).map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        msg: "unforeseen error",
        request_id: requestId,
        err: expect.objectContaining({ message: "no space left on device" }),
      }),
    ]);
  }
});
