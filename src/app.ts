import { createConnectRouter } from "@connectrpc/connect";
import type { Logger } from "pino";
import { collectDefaultMetrics, Registry } from "prom-client";
import { ApiKeyService } from "../gen/latchkey/v1/api_key_service_pb.ts";
import { AuthService } from "../gen/latchkey/v1/auth_service_pb.ts";
import { GatewayService } from "../gen/latchkey/v1/gateway_service_pb.ts";
import { OrgService } from "../gen/latchkey/v1/org_service_pb.ts";
import type { Config } from "./config.ts";
import { startRunLoop } from "./domain/conversations/run-loop.ts";
import { createRunEnds } from "./domain/conversations/wait.ts";
import type { Assistant, Clock } from "./domain/ports.ts";
import { createErrorTranslator } from "./interceptors/errors.ts";
import { createGate, createInterceptors, loadPolicies, toRequestGate, warmUpValidation } from "./interceptors/index.ts";
import { createApiKeyService } from "./services/api-key-service.ts";
import { createAuthService } from "./services/auth-service.ts";
import { createGatewayService } from "./services/gateway-service.ts";
import { createOrgService } from "./services/org-service.ts";
import { connectAdmission } from "./store/admission.ts";
import { echoAssistant } from "./store/assistant/echo.ts";
import { createTokenVerifier } from "./store/jwks/token-verifier.ts";
import { createUsageRecorder } from "./store/memory/usage.ts";
import { createConversationStore } from "./store/sql/conversation-store.ts";
import { openDatabase } from "./store/sql/database.ts";
import { createKeyStore } from "./store/sql/key-store.ts";
import { migrateToLatest } from "./store/sql/migrate.ts";
import { createOrgStore } from "./store/sql/org-store.ts";
import { createAccessLog } from "./transport/access-log.ts";
import { createDocumentation } from "./transport/documentation.ts";
import { createHandler } from "./transport/handler.ts";
import { createProbes } from "./transport/probes.ts";
import { type HttpServer, listen } from "./transport/server.ts";

/** What a test may put in the place of the real thing. */
export interface AppOptions {
  readonly log: Logger;
  readonly clock?: Clock;
  readonly assistant?: Assistant;
}

export interface App {
  readonly url: string;
  /** Ends requests under way, hands back runs, closes the storage. */
  close(): Promise<void>;
}

const SERVICES = [ApiKeyService, AuthService, GatewayService, OrgService];
const RUN_POLL_MS = 1_000;
/** Longest time a caller may ask an RPC to take, and longest body Connect itself would read. */
const CALL_TIMEOUT_MS_MAX = 60_000;
const CONNECT_READ_BYTES_MAX = 1_048_576;

/** Puts the product together and listens. The only place that knows every layer. */
export async function startApp(config: Config, options: AppOptions): Promise<App> {
  const { log, clock: testClock, assistant = echoAssistant } = options;
  const clock = testClock ?? (() => new Date());
  const policies = loadPolicies(SERVICES);
  const database = await openDatabase(config.storage);
  const migrations = await migrateToLatest(database);
  if (migrations.length > 0) log.info({ migrations }, "migrated");
  warmUpValidation(policies.keys());

  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const backend = await connectAdmission(config.redisUrl, { log, metrics, testClock });
  const keys = createKeyStore(database, backend.copies);
  const admission = backend.open(keys);
  const conversations = createConversationStore(database);
  const tokens = createTokenVerifier({ clock, jwksAllowedHosts: config.jwksAllowedHosts });
  const runEnds = createRunEnds();
  const runLoop = startRunLoop({
    conversations,
    assistant,
    clock,
    pollMs: RUN_POLL_MS,
    onError: (err, event) => log.error({ err }, event),
    onEnd: () => runEnds.announce(),
  });

  const translate = createErrorTranslator(log);
  const usage = createUsageRecorder({ keys, onError: (err) => log.error({ err }, "usage could not be stored") });
  const gate = createGate({ admission, tokens, dashboard: config.dashboard, clock, policies, usage, translate });
  const router = createConnectRouter({
    requestGate: toRequestGate(gate, policies),
    interceptors: createInterceptors(translate),
    jsonOptions: { alwaysEmitImplicit: true, ignoreUnknownFields: true },
    readMaxBytes: CONNECT_READ_BYTES_MAX,
    maxTimeoutMs: CALL_TIMEOUT_MS_MAX,
    acceptCompression: [],
  });
  router.service(ApiKeyService, createApiKeyService({ keys, usage, clock, ...config }));
  router.service(GatewayService, createGatewayService({ conversations, clock, runEnds, wakeRunLoop: runLoop.wake }));
  router.service(OrgService, createOrgService({ orgs: createOrgStore(database), clock }));
  router.service(AuthService, createAuthService());

  let draining = false;
  const accessLog = createAccessLog(log, metrics);
  const probes = createProbes({ pingStore: database.ping, isDraining: () => draining, metrics });
  const closeStores = async (): Promise<void> => {
    await runLoop.stop();
    await usage.close();
    backend.close();
    await tokens.close();
    await database.close();
  };
  let server: HttpServer;
  try {
    server = await listen(
      createHandler({
        handlers: router.handlers,
        gate,
        policies,
        probes: new Map([...probes, ...createDocumentation()]),
        accessLog,
      }),
      config.host,
      config.port,
    );
  } catch (err) {
    await closeStores();
    throw err;
  }
  return {
    url: server.url,
    async close() {
      draining = true;
      await server.close(config.drainNoticeMs);
      await closeStores();
    },
  };
}
