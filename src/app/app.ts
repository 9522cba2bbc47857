import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { Config } from "../config/config.ts";
import { areTenantsAdopted } from "../config/dashboard.ts";
import type { Secrets } from "../config/secrets.ts";
import { createAuthority } from "../domain/access/authority.ts";
import { storeImpersonations } from "../domain/audit/impersonations.ts";
import type { Assistant } from "../domain/conversations/assistant.ts";
import { createDashboardLimit } from "../domain/limits/dashboard-user.ts";
import { removeOldUsage } from "../domain/usage/retention.ts";
import type { UsageRecorder } from "../domain/usage/usage-store.ts";
import type { Clock } from "../domain/vocabulary/clock.ts";
import { untilDeadline } from "../domain/vocabulary/until-deadline.ts";
import { createErrorReporter, createErrorTranslator } from "../interceptors/errors.ts";
import { createCheckCaller, createGate, loadPolicies, warmUpValidation } from "../interceptors/index.ts";
import { createAccessLog } from "../observability/log/access-log.ts";
import { createConditionLog } from "../observability/log/condition-log.ts";
import { createCorsLog } from "../observability/log/cors-log.ts";
import { createKeySetLog } from "../observability/log/key-set-log.ts";
import { reportCertificate } from "../observability/metrics/certificate-expiry.ts";
import { reportDatabase } from "../observability/metrics/database.ts";
import { createKeySetMetrics } from "../observability/metrics/key-set-fetches.ts";
import { measureAssistant } from "../observability/metrics/model-calls.ts";
import { createMetrics } from "../observability/metrics/registry.ts";
import { createRequestsInFlight } from "../observability/metrics/requests-in-flight.ts";
import { createStorageWatch } from "../observability/metrics/storage-watch.ts";
import { createUsageMetrics } from "../observability/metrics/usage.ts";
import type { Tracing } from "../observability/tracing/tracing.ts";
import { warmUp } from "../process/warm-up.ts";
import { createApiKeyService } from "../services/api-key-service.ts";
import { createAuditService } from "../services/audit-service.ts";
import { createAuthService } from "../services/auth-service.ts";
import { createGatewayService } from "../services/gateway-service.ts";
import { createKeyPolicyService } from "../services/key-policy-service.ts";
import { createLeakService } from "../services/leak-service.ts";
import { createOperatorService } from "../services/operator-service.ts";
import { createOrgService } from "../services/org-service.ts";
import { createScopeService } from "../services/scope-service.ts";
import { createUsageService } from "../services/usage-service.ts";
import { echoAssistant } from "../store/assistant/echo.ts";
import { createTokenVerifier } from "../store/jwks/token-verifier.ts";
import { createAdmission } from "../store/limits/admission.ts";
import { connectLimiter } from "../store/limits/connect-limiter.ts";
import { createImpersonationRecorder } from "../store/recorders/impersonation-recorder.ts";
import { createRefusalRecorder } from "../store/recorders/refusal-recorder.ts";
import { createUsageRecorder } from "../store/recorders/usage-recorder.ts";
import { cacheMemberships, cacheTenants } from "../store/replicas/cached-reads.ts";
import { createSharedReads } from "../store/replicas/shared-reads.ts";
import { createAuditTrail } from "../store/sql/audit/audit-trail.ts";
import { createConversationStore } from "../store/sql/conversations/conversation-store.ts";
import type { SqlDatabase } from "../store/sql/driver/database.ts";
import { openDatabase } from "../store/sql/driver/open.ts";
import { createErasureStore } from "../store/sql/erasures/erasure-store.ts";
import { createKeyPolicies } from "../store/sql/keys/key-policies.ts";
import { createKeyStore } from "../store/sql/keys/key-store.ts";
import { migrateToLatest } from "../store/sql/migrations/migrator.ts";
import { createOrgStore } from "../store/sql/orgs/org-store.ts";
import { createTenantStore } from "../store/sql/tenants/tenant-store.ts";
import { createUsageStore } from "../store/sql/usage/usage-store.ts";
import { createCors } from "../transport/answer/cors.ts";
import { createDocumentation } from "../transport/endpoints/documentation.ts";
import { createProbes, createReadiness } from "../transport/endpoints/probes.ts";
import { createOpenHandlers } from "../transport/grpc/open-services.ts";
import type { FrontDoor } from "../transport/handler.ts";
import { createRefusals } from "../transport/http/refusals.ts";
import { createClientAddress } from "../transport/request/client-address.ts";
import { startPurgeLoop } from "../workers/purge-loop.ts";
import { openConsole } from "./console.ts";
import { withKeySet } from "./dashboard-provider.ts";
import { startErasures } from "./erasures.ts";
import { startGuards } from "./guards.ts";
import { openKeyRecords } from "./key-records.ts";
import { createLeaks } from "./leaks.ts";
import { createLiveSecrets, type LiveSecrets } from "./live-secrets.ts";
import { createIdentityClaims } from "./login-hook.ts";
import { type Address, openPorts, type Ports } from "./ports.ts";
import { conversationRemovals } from "./removals.ts";
import { mountServices, SERVICES } from "./rpcs.ts";
import { startRuns } from "./runs.ts";

/** Only the log and its destination are required. Most others are replacements for tests. */
export interface AppOptions {
  readonly log: Logger;
  /** Takes the lines of the access log, which are made when they are written. */
  readonly writeLine: (makeLine: () => string) => void;
  /** The configured database, already open. The app closes it. */
  readonly database?: SqlDatabase;
  readonly clock?: Clock;
  /** Instead of the clock of Redis. */
  readonly redisClock?: Clock;
  readonly assistant?: Assistant;
  readonly runLeaseMs?: number;
  readonly runPollMs?: number;
  /** Ms between two removals of old rows. Default 60,000. */
  readonly purgeMs?: number;
  /** For one of several workers: returns the text for scrapes, of all workers. Default: that of this process. */
  readonly shareMetrics?: (own: Registry) => () => Promise<string>;
  /** Ms for which a call waits for the end of its erasure. */
  readonly erasureWaitMs?: number;
  /** Ms from the stop signal until the app stops waiting for anything. */
  readonly stopMs?: number;
}

export interface App {
  readonly url: string;
  /** The bound address, such as `0.0.0.0:8080`. */
  readonly address: string;
  /** Of the admin port. Undefined: all is on the one port. */
  readonly admin: Address | undefined;
  /** Reloads the certificate. Throws, and keeps the old one, if the files are unusable or not valid now. */
  reloadCertificate(): void;
  /** From now on these secrets are used: for the next request, and for the next connection of each store. */
  useSecrets(secrets: Secrets): void;
  /** Ends requests, hands back runs, stores usage and closes the storage, as far as possible within `stopMs`. */
  close(): Promise<void>;
}

/** Before `process.ts` ends the process, and after the last request is aborted: 25 s with the longest drain. */
const STOP_MS = 26_500;
const UNCONFIRMED = "usage may be lost: PostgreSQL did not say whether it stored it";

/** Composes the service and listens. Only this module imports every layer. */
export async function startApp(config: Config, options: AppOptions): Promise<App> {
  const { log, clock = () => new Date(), redisClock } = options;
  const policies = loadPolicies(SERVICES);
  const metrics = createMetrics();
  const tokens = createTokenVerifier({
    clock,
    jwksAllowedHosts: config.jwksAllowedHosts,
    onKeySetChange: createKeySetLog(log),
    onKeySetFetched: createKeySetMetrics(metrics),
  });
  const dashboard = await withKeySet(config, tokens);
  const database = options.database ?? (await openDatabase(config.storage));
  await refuse(database.poolerProblem());
  await migrate(database, log);
  reportDatabase(metrics, database);
  const secrets = createLiveSecrets(config);
  const tracing = await openTracing(config, secrets, log);
  const conditions = createConditionLog(log);
  const storage = createStorageWatch({ probe: database.proveRoom, log, metrics });
  const logFailure = (message: string) => (err: unknown) => storage.failed(err, () => conditions.error(message, err));
  const { warn } = conditions;
  const limits = await connectLimiter(config.redis, { log, warn, metrics, clock, redisClock });
  const { previousVersion } = limits;
  const records = await openKeyRecords({ database, previousVersion, log, warn, metrics });
  const guards = await startGuards({ database, limits, config, log });
  const keyClock = options.clock ?? records.clock;
  const keys = createKeyStore(database, records.invalidation, options.clock);
  const tenants = createTenantStore(database, records.invalidation);
  const { findTenant } = cacheTenants(records.cache, tenants);
  const orgs = createOrgStore(database, records.invalidation, options.clock);
  const authority = createAuthority(config.access);
  const { catalogue, operatorTenant } = config.access;
  const admission = createAdmission({
    keys: records.cache.inFrontOf(createSharedReads(keys)),
    tenants: { findTenant },
    limiter: limits.limiter,
    clock: keyClock,
  });
  const conversations = createConversationStore(database, options.clock);
  const assistant = options.assistant ?? (await openAssistant(config, secrets, metrics, tracing));
  const runs = startRuns({
    database,
    conversations,
    assistant,
    log,
    metrics,
    logFailure,
    runsAtOnce: config.runsAtOnce,
    clock: options.clock,
    leaseMs: options.runLeaseMs,
    pollMs: options.runPollMs,
  });
  const history = createUsageStore(database);
  const audit = createAuditTrail(database);
  const purge = startPurgeLoop({
    removals: [
      (now) => removeOldUsage(history, config.usageDays, now),
      (now) => storeImpersonations(audit, now),
      () => audit.removeOld(config.auditDays),
      () => keys.removeOldRequests(),
      ...conversationRemovals(config, database),
    ],
    clock: keyClock,
    onFault: logFailure("old rows could not be removed: it is tried again every minute"),
    passMs: options.purgeMs,
  });
  const erasures = startErasures({
    erasures: createErasureStore(database, records.invalidation, options.clock),
    logFailure,
    waitMs: options.erasureWaitMs,
  });
  const hints = database.listen({
    onHint: (hint) => (hint.kind === "keys" ? records.wake() : runs.onHint(hint)),
    onChange: (isListening) => {
      log.info({ hearing: isListening }, "announcements of other replicas");
      runs.wake();
      records.wake();
    },
  });

  const report = createErrorReporter(conditions.error, storage.failed);
  const translate = createErrorTranslator(report);
  const ownUsage = createUsageRecorder({
    keys,
    onError: (err) =>
      storage.usageFailed(err, () => log.error({ err }, "usage cannot be stored: it is kept until it can be")),
    onStored: storage.usageStored,
    onLost: (loss, err) => {
      const { neverSent, unconfirmed } = loss;
      usageMetrics.onLost(loss);
      if (neverSent > 0) log.error({ err, verifications: neverSent }, "usage is lost: it could not be stored");
      if (unconfirmed > 0) log.error({ err, verifications: unconfirmed }, UNCONFIRMED);
    },
  });
  const usageMetrics = createUsageMetrics(metrics, () => ownUsage.progress);
  const usage: UsageRecorder = { ...ownUsage, collect: records.collectUsage(ownUsage.store) };
  const onRefusalError = logFailure(
    "refused calls cannot be stored in the audit trail: they are counted until they can be",
  );
  const refusals = createRefusalRecorder({ audit, clock, onError: onRefusalError });
  const impersonations = createImpersonationRecorder({
    audit,
    onError: logFailure("calls for users cannot be stored for the audit trail: they are counted until they can be"),
    onLost: (calls) => log.error({ calls }, "calls for users are lost: they could not be stored for the audit trail"),
  });
  const gate = createGate({
    admission,
    tokens,
    dashboard,
    tenants: { findTenant },
    memberships: cacheMemberships(records.cache, orgs),
    tenantFromMembership: config.tenantFromMembership,
    rolesFromMembership: config.rolesFromMembership,
    authority,
    keyBrand: config.keyBrand,
    matchOperatorToken: secrets.matchOperatorToken,
    onOperatorToken: (token, { requestId: request_id, procedure }) =>
      log.warn({ request_id, procedure, token }, "the operator's token is used"),
    dashboardLimit: createDashboardLimit(limits.ofDashboardUsers, config.dashboardRequestsPerMinute),
    clock,
    policies,
    usage,
    refusals,
    impersonations,
    report,
    translate,
  });
  const { rateLimitDefault, keyBrand, tenantKeysMax, jwksAllowedHosts } = config;
  const providers = { tokens, providers: tokens, jwksAllowedHosts };
  const rules = { rateLimitDefault, keyBrand, tenantKeysMax, catalogue, authority };
  const keyManagement = { keys, usage, history, keyClock, ...rules, ...providers };
  const members = {
    areTenantsAdopted: areTenantsAdopted(config),
    rolesInTokens: authority.readsRoles && !config.rolesFromMembership,
  };
  const leaks = createLeaks({ config, keys, keyClock, clock, log, warn, metrics, translate });
  const { handlers, rpcs } = mountServices(gate, translate, {
    apiKeys: createApiKeyService(keyManagement),
    audit: createAuditService({ audit, refusals }),
    gateway: createGatewayService({ conversations, runEnds: runs.ends, wakeRunLoop: runs.wake }),
    keyPolicies: createKeyPolicyService({ policies: createKeyPolicies(database), ...rules }),
    leaks: createLeakService(leaks.service),
    operator: createOperatorService({
      ...keyManagement,
      tenants: { ...tenants, findTenant },
      ...erasures,
      operatorTenant,
      audit,
      refusals,
    }),
    orgs: createOrgService({ orgs, authority, clock, ...members }),
    auth: createAuthService({ keys, admission, tokens, authority }),
    scopes: createScopeService(catalogue),
    usage: createUsageService({ history, keyClock }),
  });

  const draining = new AbortController();
  const scraped = {
    contentType: metrics.contentType,
    metrics: options.shareMetrics?.(metrics) ?? (() => metrics.metrics()),
  };
  const readiness = createReadiness({ pingStore: database.ping, problem: guards.problem, draining: draining.signal });
  const cors = createCors(config.corsAllowedOrigins, createCorsLog(log));
  const clientAddress = createClientAddress(config.trustedProxies);
  const { writeLine } = options;
  const spans = tracing?.requests;
  const accessLog = createAccessLog({ log, reportError: conditions.error, writeLine, metrics, spans });
  const metricsExport = await openMetricsExport(config, secrets, metrics, log);
  const door: FrontDoor = {
    handlers,
    rpcs,
    openHandlers: createOpenHandlers(SERVICES, readiness),
    checkCaller: createCheckCaller(gate, authority, translate),
    identityClaims: createIdentityClaims(config, secrets, { memberships: orgs, clock, translate }),
    githubLeaks: leaks.github,
    clientAddress,
    gate,
    translate,
    policies,
    cors,
    console: openConsole(config, dashboard, tokens, log),
    probes: new Map([...createProbes({ readiness, metrics: scraped }), ...createDocumentation()]),
    accessLog,
    inFlight: createRequestsInFlight(metrics),
  };
  const closeStores = async (deadline: AbortSignal): Promise<void> => {
    storage.close();
    conditions.close();
    const ends = [runs.close(), erasures.close(), refusals.close(), purge.close()];
    const counted = [ownUsage.close(deadline), impersonations.close(deadline)];
    await Promise.all([...counted, untilDeadline(Promise.all(ends), deadline)]);
    limits.close();
    const rest = [guards.close(), records.close(), hints.close(), tokens.close(), leaks.close()];
    await untilDeadline(Promise.all(rest), deadline);
    await untilDeadline(database.close(), deadline);
  };
  const newDeadline = () => AbortSignal.timeout(options.stopMs ?? STOP_MS);
  let ports: Ports;
  try {
    ports = await openPorts(config, door, {
      refusals: createRefusals({ gate, clientAddress, cors, accessLog }),
      onError: (err) => conditions.error("a connection could not be accepted", err),
    });
  } catch (err) {
    await closeStores(newDeadline());
    throw err;
  }
  const validation = Array.from(policies.keys(), (method) => () => warmUpValidation([method]));
  // The first `Headers` object makes Node load its fetch implementation.
  const warming = warmUp([...validation, () => new Headers()], {
    signal: draining.signal,
    onError: (err) => log.error({ err }, "not all could be loaded"),
  });
  return {
    ...ports.main,
    admin: ports.admin,
    reloadCertificate: reportCertificate(ports, { log, metrics, clock }),
    useSecrets(latest) {
      secrets.use(latest);
      if (latest.storage.kind === "postgres") database.signInWith(latest.storage.url);
      if (latest.redis !== null) limits.signInWith(latest.redis);
    },
    async close() {
      log.info({ drain_ms: config.drainNoticeMs }, "stopping");
      draining.abort();
      const deadline = newDeadline();
      // Runs are handed back while requests end: another replica takes over queued runs, and readers stop waiting.
      const handingBack = [runs.handBack(), erasures.close()];
      await untilDeadline(Promise.all([warming, ports.close(config.drainNoticeMs), ...handingBack]), deadline);
      await Promise.all([closeStores(deadline), untilDeadline(Promise.resolve(tracing?.close()), deadline)]);
      // At last, so that the collector gets what was lost, too.
      await untilDeadline(Promise.resolve(metricsExport?.close()), deadline);
      log.info("stopped");
    },
  };
}

/** Ends a start with a problem that no retry would solve. */
async function refuse(problem: Promise<string | undefined>): Promise<void> {
  const text = await problem;
  if (text !== undefined) throw new Error(text);
}

async function migrate(database: SqlDatabase, log: Logger): Promise<void> {
  const migrations = await migrateToLatest(database, {
    onWait: () => log.warn("a migration waits for a lock that another session holds, and will try again"),
  });
  if (migrations.length > 0) log.info({ migrations }, "migrated");
}

/** Loads the model's client, a sixth of all modules, only if a model is configured. */
async function openAssistant(
  { assistant }: Config,
  live: LiveSecrets,
  metrics: Registry,
  tracing: Tracing | undefined,
): Promise<Assistant> {
  if (assistant === null) return echoAssistant;
  const { createOpenAiAssistant } = await import("../store/assistant/openai.ts");
  const apiKey = () => live.now.assistant?.apiKey ?? null;
  const model = measureAssistant(metrics, createOpenAiAssistant(assistant, apiKey));
  return tracing?.trace(model, assistant) ?? model;
}

/** Loads OpenTelemetry only if a collector is configured. */
async function openTracing({ tracing }: Config, live: LiveSecrets, log: Logger): Promise<Tracing | undefined> {
  if (tracing === null) return undefined;
  const { startTracing } = await import("../observability/tracing/tracing.ts");
  return startTracing(tracing, log, () => live.now.tracing?.headers);
}

/** As with tracing. */
async function openMetricsExport({ otlpMetrics }: Config, live: LiveSecrets, metrics: Registry, log: Logger) {
  if (otlpMetrics === null) return undefined;
  const { startMetricsExport } = await import("../observability/otlp/metrics-export.ts");
  return startMetricsExport(otlpMetrics, { metrics, log, headers: () => live.now.otlpMetrics?.headers });
}
