import { pino } from "pino";
import { Registry } from "prom-client";
import { createErrorReporter, createErrorTranslator } from "../../src/interceptors/errors.ts";
import { createAccessLog } from "../../src/observability/log/access-log.ts";
import { createCors } from "../../src/transport/answer/cors.ts";
import { createEndpoints } from "../../src/transport/endpoints/endpoints.ts";
import type { Readiness } from "../../src/transport/endpoints/probes.ts";
import { createOpenHandlers, type OwnService } from "../../src/transport/grpc/open-services.ts";
import { WATCH_LIMITS, type WatchLimits } from "../../src/transport/grpc/watchers.ts";
import { createHandler } from "../../src/transport/handler.ts";
import type { HttpLimits } from "../../src/transport/http/http-limits.ts";
import { type HttpServer, listen } from "../../src/transport/http/server.ts";
import { createClientAddress } from "../../src/transport/request/client-address.ts";
import { createHeldBodies } from "../../src/transport/request/held-bodies.ts";
import { LIMITS, LISTEN_OPTIONS } from "./listen-options.ts";
import { NOTHING_SHED } from "./no-bounds.ts";
import { dashboardUser } from "./principals.ts";

/** A service without RPCs of its own, which is ready when the test says so. */
export function startOpenServices(
  isReady: Readiness["isReady"],
  watchLimits: Partial<WatchLimits> = {},
  { own = [], limits = LIMITS }: { own?: readonly OwnService[]; limits?: HttpLimits } = {},
): Promise<HttpServer> {
  const log = pino({ level: "silent" });
  const metrics = new Registry();
  const readiness = { isReady, reason: () => undefined, draining: new AbortController().signal };
  const principal = dashboardUser();
  const clientAddress = createClientAddress({ ranges: [], header: null });
  const handler = createHandler({
    handlers: [],
    rpcs: [],
    openHandlers: createOpenHandlers([], readiness, { ...WATCH_LIMITS, ...watchLimits }, own),
    clientAddress,
    docsUrl: "",
    gate: { check: async () => principal, identify: async () => {}, refuse: async () => {}, conclude: () => {} },
    translate: createErrorTranslator(createErrorReporter(() => {})),
    policies: new Map(),
    endpoints: createEndpoints({
      checkCaller: async () => ({ principal, userId: principal.userId }),
      clientAddress,
      metrics,
      readiness,
    }),
    cors: createCors("*"),
    accessLog: createAccessLog({ log, reportError: () => {}, writeLine: () => {}, metrics }),
    inFlight: { requests: 0 },
    bodies: createHeldBodies(0),
    overload: NOTHING_SHED,
  });
  return listen(handler, { ...LISTEN_OPTIONS, limits });
}
