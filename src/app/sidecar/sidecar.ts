import type { Logger } from "pino";
import { AuthService } from "../../../gen/latchkey/v1/auth_service_pb.ts";
import type { SidecarConfig } from "../../config/sidecar.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import { createEdge, type Edge } from "../../edge/edge.ts";
import { createErrorReporter, createErrorTranslator, type ErrorTranslator } from "../../interceptors/errors.ts";
import type { Gate } from "../../interceptors/gate/gate.ts";
import { loadPolicies } from "../../interceptors/policies.ts";
import { createAccessLog } from "../../observability/log/access-log.ts";
import { createConditionLog } from "../../observability/log/condition-log.ts";
import { createCorsLog } from "../../observability/log/cors-log.ts";
import { reportEdge } from "../../observability/metrics/edge.ts";
import { reportHeldBodies } from "../../observability/metrics/held-bodies.ts";
import { createMetrics } from "../../observability/metrics/registry.ts";
import { createRequestsInFlight } from "../../observability/metrics/requests-in-flight.ts";
import { createShedRequests } from "../../observability/metrics/shed-requests.ts";
import { createCors } from "../../transport/answer/cors.ts";
import { ERROR_PAGES } from "../../transport/endpoints/documentation.ts";
import type { Endpoint } from "../../transport/endpoints/endpoint.ts";
import {
  answerHealthz,
  answerMetrics,
  answerReadyz,
  createReadiness,
  HEALTHZ_PATH,
  METRICS_PATH,
  READYZ_PATH,
} from "../../transport/endpoints/probes.ts";
import { createHandler, type FrontDoor } from "../../transport/handler.ts";
import { connectionBound } from "../../transport/http/connections-per-address.ts";
import { createRefusals } from "../../transport/http/refusals.ts";
import { type HttpServer, listen } from "../../transport/http/server.ts";
import { createClientAddress } from "../../transport/request/client-address.ts";
import { createHeldBodies } from "../../transport/request/held-bodies.ts";
import { watchDescriptors } from "../descriptor-watch.ts";
import { createLifecycle } from "../lifecycle.ts";
import { createQuestions } from "./questions.ts";
import { createUpstream } from "./upstream.ts";

export interface SidecarOptions {
  readonly log: Logger;
  readonly writeLine: (makeLine: () => string) => void;
}

/** An edge as a process of its own, for programs in any language. */
export interface Sidecar {
  /** Undefined: it listens on no port. */
  readonly port: Pick<HttpServer, "url" | "address"> | undefined;
  /** The path of its Unix socket. Undefined: it listens on none. */
  readonly socketPath: string | undefined;
  readonly status: Edge["status"];
  /** From the next call and the next stream on. The service ends a stream whose token it does not take any more. */
  useToken(token: string): void;
  /** Ends requests, reports what was decided, gives back what was not spent, and ends. */
  close(): Promise<void>;
}

/** Listens at once, and follows the service as soon as it is there: until then it asks. */
export async function startSidecar(config: SidecarConfig, options: SidecarOptions): Promise<Sidecar> {
  const { log } = options;
  const life = createLifecycle();
  const conditions = createConditionLog(log);
  life.onIdle(conditions.close);
  life.onIdle(watchDescriptors(conditions.error).close);
  const clientAddress = createClientAddress(config.trustedProxies, config.socketPath !== null);
  const upstream = createUpstream(config.upstream, clientAddress);
  life.onClose(upstream.close);
  let { token } = config;
  const edge = createEdge({
    baseUrl: config.upstream,
    token: () => token,
    onError: (err) => conditions.warn("the service cannot be followed", err),
  });
  life.onIdle(() => edge.close());
  try {
    const door = createDoor();
    const servers = await open(door);
    const [port, socket] = servers;
    life.onStop(() => Promise.all(servers.map((server) => server?.close(config.drainNoticeMs))));
    return {
      port: port && { url: port.url, address: port.address },
      socketPath: socket?.address,
      get status() {
        return edge.status;
      },
      useToken(latest) {
        token = latest;
      },
      async close() {
        log.info("stopping");
        await life.close();
        log.info("stopped");
      },
    };
  } catch (err) {
    await life.close();
    throw err;
  }

  function createDoor(): FrontDoor {
    const metrics = createMetrics();
    reportEdge(metrics, edge);
    const policies = loadPolicies([AuthService]);
    const translate = createErrorTranslator(createErrorReporter(conditions.error));
    const bodies = createHeldBodies(config.overload.bodyBytesMax);
    const readiness = createReadiness({
      pingStore: async () => {
        if (edge.status.leaseMs === 0) await upstream.ping();
      },
      draining: life.stopping,
    });
    const probe = {
      method: "GET",
      body: "none",
      port: "main",
      isReadableByPages: false,
      procedure: undefined,
    } as const;
    const endpoints: Endpoint[] = [
      ...createQuestions({
        ...{ edge, upstream, policies, translate, clientAddress, bodies },
        onFailure: (err) => conditions.warn("the service does not answer, so calls are answered 503", err),
      }),
      { ...probe, isProbe: true, path: HEALTHZ_PATH, answer: answerHealthz },
      { ...probe, isProbe: true, path: READYZ_PATH, answer: () => answerReadyz(readiness) },
      { ...probe, isProbe: true, path: METRICS_PATH, answer: (req) => answerMetrics(metrics, req) },
      // Its denials name the same pages as the service's.
      ...ERROR_PAGES.map(([path, answer]): Endpoint => ({ ...probe, path, answer })),
    ];
    return {
      handlers: [],
      rpcs: [],
      openHandlers: [],
      endpoints,
      policies,
      translate,
      gate: concludingGate(edge, translate),
      clientAddress,
      docsUrl: "",
      cors: createCors([], createCorsLog(log)),
      accessLog: createAccessLog({ log, reportError: conditions.error, writeLine: options.writeLine, metrics }),
      inFlight: createRequestsInFlight(metrics),
      bodies: reportHeldBodies(metrics, bodies),
      overload: { ...config.overload, onShed: createShedRequests(metrics, conditions.warn), random: Math.random },
    };
  }

  async function open(door: FrontDoor): Promise<readonly [HttpServer | undefined, HttpServer | undefined]> {
    const handler = createHandler(door);
    const onError = (err: Error): void => conditions.error("a connection could not be accepted", err);
    const shared = { refusals: createRefusals(door), onError, tls: null };
    const connections = connectionBound(config, onError);
    const port = config.port === null ? undefined : await listen(handler, { ...shared, connections, ...config.port });
    if (config.socketPath === null) return [port, undefined];
    try {
      const place = { host: "", port: 0, socketPath: config.socketPath };
      return [port, await listen(handler, { ...shared, ...place })];
    } catch (err) {
      await port?.close(0);
      throw err;
    }
  }
}

/**
 * The front door's gate, which only counts what the edge's gates have decided: the paths of an edge put their calls to them
 * themselves, and no other request says anything about a key.
 */
function concludingGate(edge: Edge, translate: ErrorTranslator): Gate {
  return {
    async check(_, call) {
      throw translate(new StoreUnavailable("the service serves the RPCs"), call);
    },
    identify: async () => {},
    refuse: async () => {},
    conclude: (call) => edge.conclude(call),
  };
}
