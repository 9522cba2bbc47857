import { SERVICES } from "../../gen/latchkey/v1/services.ts";
import { createAccessLog } from "../observability/log/access-log.ts";
import { createCorsLog } from "../observability/log/cors-log.ts";
import { reportHeldBodies } from "../observability/metrics/held-bodies.ts";
import { createRequestsInFlight } from "../observability/metrics/requests-in-flight.ts";
import { createShedRequests } from "../observability/metrics/shed-requests.ts";
import { createCors } from "../transport/answer/cors.ts";
import { createEndpoints } from "../transport/endpoints/endpoints.ts";
import { createReadiness } from "../transport/endpoints/probes.ts";
import { createOpenHandlers } from "../transport/grpc/open-services.ts";
import type { FrontDoor } from "../transport/handler.ts";
import { createClientAddress } from "../transport/request/client-address.ts";
import { createHeldBodies } from "../transport/request/held-bodies.ts";
import type { Part, PartContext, PartEndpoints } from "./part.ts";
import { mountServices } from "./rpcs.ts";

/** What stands behind the ports: the services and routes of all parts, and what every process serves. */
export function createDoor(ctx: PartContext, parts: readonly Part[]): FrontDoor {
  const { config, watch, access } = ctx;
  const { gate, policies, translate } = access;
  const clientAddress = createClientAddress(config.trustedProxies);
  const services = parts.flatMap(({ services: own = [] }) => own);
  const readiness = createReadiness({
    pingStore: ctx.storage.database.ping,
    problem: ctx.storage.guards.problem,
    draining: ctx.life.stopping,
  });
  return {
    ...mountServices(gate, translate, services),
    openHandlers: createOpenHandlers(
      SERVICES,
      readiness,
      undefined,
      parts.flatMap(({ ownServices = [] }) => ownServices),
    ),
    clientAddress,
    docsUrl: config.docsUrl,
    gate,
    translate,
    policies,
    endpoints: createEndpoints({
      ...{ ...endpointsOf(parts), clientAddress, readiness, metrics: scrapes(ctx) },
      hasAdminPort: config.adminPort !== null,
      checksPort: config.checkPort ?? undefined,
    }),
    cors: createCors(config.corsAllowedOrigins, createCorsLog(watch.log)),
    accessLog: createAccessLog({
      log: watch.log,
      reportError: watch.conditions.error,
      writeLine: ctx.options.writeLine,
      metrics: watch.metrics,
      spans: watch.tracing?.requests,
    }),
    inFlight: createRequestsInFlight(watch.metrics),
    bodies: reportHeldBodies(watch.metrics, createHeldBodies(config.overload.bodyBytesMax)),
    overload: {
      ...config.overload,
      onShed: createShedRequests(watch.metrics, watch.conditions.warn),
      random: Math.random,
    },
  };
}

function endpointsOf(parts: readonly Part[]): PartEndpoints {
  let all: PartEndpoints = {};
  for (const { endpoints } of parts) all = { ...all, ...endpoints };
  return all;
}

function scrapes({ options, watch: { metrics } }: PartContext) {
  const text = options.shareMetrics?.(metrics) ?? (() => metrics.metrics());
  return { contentType: metrics.contentType, metrics: text };
}
