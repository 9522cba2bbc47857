import type { AccessRules } from "../domain/access/authority.ts";
import type { ProtectedResource } from "../domain/access/protected-resource.ts";
import { KEY_BRAND } from "../domain/credentials/secret.ts";
import type { Peppers } from "../domain/key-formats/peppers.ts";
import { type RateLimit, UNLIMITED } from "../domain/limits/caps.ts";
import { readAccess, readHookSecrets, readSecrets } from "./access.ts";
import { readAccessTokens } from "./access-tokens.ts";
import { CertificateFault, readCertificate } from "./certificate.ts";
import { readConsole } from "./console.ts";
import { areTenantsAdopted, readDashboard } from "./dashboard.ts";
import { readDatabaseUrl } from "./database-url.ts";
import { readDocsUrl } from "./docs-url.ts";
import type { Environment } from "./environment.ts";
import { readGithubKeysUrl } from "./github-keys.ts";
import { readKeyPeppers } from "./key-peppers.ts";
import { readOtlpMetrics } from "./otlp-metrics.ts";
import { readOverload } from "./overload.ts";
import { refuseOwnProvider } from "./own-issuer.ts";
import { createReader, type Reader, refuseUserInfo } from "./reader.ts";
import { readRedis } from "./redis.ts";
import { readResource } from "./resource.ts";
import {
  type AccessTokenConfig,
  type AllowedOrigins,
  type CertificateFiles,
  type ConsoleConfig,
  type DashboardProvider,
  type DatabaseOptions,
  LOG_LEVELS,
  type LogLevel,
  type OpenAiConfig,
  type OtlpMetricsConfig,
  type OverloadLimits,
  POOL_SIZE_DEFAULT,
  type RedisServers,
  type TracingConfig,
  type TrustedProxies,
} from "./settings.ts";
import { readTracing } from "./tracing.ts";
import { readTrustedProxies } from "./trusted-proxies.ts";

/** Everything the process takes from its environment, checked and frozen. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Of the paths for operators. Null: all is on `port`. */
  readonly adminPort: number | null;
  /** The only port where proxies may ask about their clients' calls. Null: any that callers have. */
  readonly checkPort: "admin" | null;
  /** Processes that serve the port. */
  readonly workers: number;
  /** Null: cleartext. */
  readonly tls: CertificateFiles | null;
  /** What the process serves at once. */
  readonly overload: OverloadLimits;
  /** Origins of browser pages that may call. */
  readonly corsAllowedOrigins: AllowedOrigins;
  /** Proxies that may say which address a client has. None: the address is that of the connection. */
  readonly trustedProxies: TrustedProxies;
  readonly storage: DatabaseOptions;
  /** Whether the operator says that PostgreSQL is one server without standbys, which never fails over. */
  readonly singlePostgres: boolean;
  /** Null: limits are kept in this process, so each replica admits the full limit. */
  readonly redis: RedisServers | null;
  /** How long a request waits for Redis. Later its process limits on its own, as if Redis were away. */
  readonly redisTimeoutMs: number;
  /** Whether a process without Redis is not ready; it still serves, with in-memory limits. */
  readonly redisRequired: boolean;
  /** Whether replicas of two Redis may serve together, for the deploy that changes it. */
  readonly redisMoving: boolean;
  /** Null: dashboard calls are answered `oidc_not_configured`. */
  readonly dashboard: DashboardProvider<string | undefined> | null;
  /** Null: the console is not served. */
  readonly console: ConsoleConfig | null;
  readonly access: AccessRules;
  /** The proxies' upstream, as a resource of OAuth. Null: no resource. */
  readonly resource: ProtectedResource | null;
  /** Whether a dashboard user whose token names no tenant gets that of their only or current membership. */
  readonly tenantFromMembership: boolean;
  /** Whether a dashboard user has the role of their membership in the tenant, and none without one. */
  readonly rolesFromMembership: boolean;
  /** Of the login hook of the identity provider; at most two. None: there is no hook. */
  readonly identityHookSecrets: readonly string[];
  /** At most two. None: only users of the operator's tenant may call the operator's RPCs. */
  readonly operatorTokens: readonly string[];
  /** By which edges follow. None: there are no edges. */
  readonly edgeTokens: readonly string[];
  /** Access tokens. Null: none are issued. */
  readonly accessTokens: AccessTokenConfig | null;
  /** `host:port` of JWKS URLs of tenants that may be plain http or private. */
  readonly jwksAllowedHosts: readonly string[];
  /** The same for webhooks: `host:port` of endpoints that may be private and may use http. */
  readonly webhookAllowedHosts: readonly string[];
  /** The platform's name in new keys. Null: they have none. */
  readonly keyBrand: string | null;
  /** With which other systems have hashed keys that were imported. */
  readonly keyPeppers: Peppers;
  /** Maximum number of a tenant's keys that are active or disabled. */
  readonly tenantKeysMax: number;
  /** Maximum number of requests of a dashboard user in a minute. 0: as many as they send. */
  readonly dashboardRequestsPerMinute: number;
  /** Where GitHub publishes the keys that its secret scanning signs with. Null: its reports are not taken. */
  readonly githubKeysUrl: string | null;
  /** Address of this service for callers, before the path of the page that errors name. Empty: errors name its path. */
  readonly docsUrl: string;
  /** Limits of new keys that name none. */
  readonly rateLimitDefault: RateLimit;
  /** Days for which the uses of keys by the hour are kept. */
  readonly usageDays: number;
  /** Days for which recent requests are kept. 0: none is. */
  readonly requestLogDays: number;
  /** How long events of the audit trail are kept. */
  readonly auditDays: number;
  /** Days for which keys are kept after their end. Null: for ever. */
  readonly endedKeyDays: number | null;
  /** Days for which messages are kept. Null: for ever. */
  readonly conversationDays: number | null;
  /** Null: the built-in echo answers. */
  readonly assistant: OpenAiConfig | null;
  /** Maximum number of messages that the assistant answers for this process at once. */
  readonly runsAtOnce: number;
  readonly logLevel: LogLevel;
  /** How long the process keeps serving after a stop signal, so that load balancers notice. */
  readonly drainNoticeMs: number;
  /** Null: no spans are made, and OpenTelemetry is not loaded. */
  readonly tracing: TracingConfig | null;
  /** Null: metrics are only scraped. */
  readonly otlpMetrics: OtlpMetricsConfig | null;
}

/** Values for variables that are not set. */
export interface ConfigDefaults {
  readonly host: string;
  readonly dataDir: string;
  readonly drainSeconds: number;
  /** Development has an identity provider of its own, whatever is configured. */
  readonly hasOwnProvider?: true;
}

const PRODUCTION_DEFAULTS: ConfigDefaults = { host: "0.0.0.0", dataDir: ".latchkey/data", drainSeconds: 3 };
export const PORT_DEFAULT = 8_080;
const WORKERS_MAX = 64;
const OPENAI_URL = "https://api.openai.com/v1";
/** A reply is not streamed, and Node's fetch waits no longer for the head of a response. */
const OPENAI_TIMEOUT_MS_MAX = 300_000;
/** For a run, if nothing else is set, and for the replies of the built-in echo. */
export const OPENAI_TIMEOUT_MS_DEFAULT = 60_000;
/** The most that a limit may be: what an `int32` can hold. */
const DASHBOARD_REQUESTS_PER_MINUTE = 6_000;
const REQUESTS_MAX = 2_147_483_647;
/** The process must end within 28 s. The rest of that time is for requests and runs under way. */
const DRAIN_SECONDS_MAX = 10;

/** Reports all mistakes in the environment at once, a line each. Names variables, not values: some are secrets. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length} mistake(s):\n${problems.map((line) => `  - ${line}`).join("\n")}`);
    this.problems = problems;
  }
}

/** Reads the environment. Throws `ConfigError`. */
export function readConfig(env: Environment, defaults: ConfigDefaults = PRODUCTION_DEFAULTS): Config {
  const problems: string[] = [];
  const reader = createReader(env, problems);
  const jwksAllowedHosts = reader.hosts("JWKS_ALLOWED_HOSTS");
  const dashboard = readDashboard(reader, jwksAllowedHosts);
  const access = readAccess(reader);
  const config: Config = {
    host: reader.text("HOST") ?? defaults.host,
    port: readPort(reader) ?? PORT_DEFAULT,
    adminPort: readAdminPort(reader),
    checkPort: readCheckPort(reader),
    workers: readWorkers(reader),
    tls: readTls(reader),
    overload: readOverload(reader),
    corsAllowedOrigins: readOrigins(reader),
    trustedProxies: readTrustedProxies(reader),
    storage: readStorage(reader, defaults),
    singlePostgres: reader.oneOf("SINGLE_POSTGRES", ["true", "false"]) === "true",
    redis: readRedis(reader),
    redisTimeoutMs: reader.integer("REDIS_TIMEOUT_MS", 10, 1_000) ?? 200,
    redisRequired: reader.oneOf("REDIS_REQUIRED", ["true", "false"]) === "true",
    redisMoving: reader.oneOf("REDIS_MOVING", ["true", "false"]) === "true",
    dashboard,
    console: readConsole(reader),
    access,
    resource: readResource(reader, access.catalogue),
    tenantFromMembership: reader.oneOf("TENANT_FROM_MEMBERSHIP", ["true", "false"]) === "true",
    rolesFromMembership: reader.oneOf("ROLES_FROM_MEMBERSHIP", ["true", "false"]) === "true",
    identityHookSecrets: readHookSecrets(reader),
    operatorTokens: readSecrets(reader, "OPERATOR_TOKEN"),
    edgeTokens: readSecrets(reader, "EDGE_TOKEN"),
    accessTokens: readAccessTokens(reader),
    jwksAllowedHosts,
    webhookAllowedHosts: reader.hosts("WEBHOOK_ALLOWED_HOSTS"),
    keyBrand: readKeyBrand(reader),
    keyPeppers: readKeyPeppers(reader),
    tenantKeysMax: reader.integer("TENANT_KEYS_MAX", 1, 1_000_000) ?? 10_000,
    dashboardRequestsPerMinute:
      reader.integer("DASHBOARD_REQUESTS_PER_MINUTE", 0, REQUESTS_MAX) ?? DASHBOARD_REQUESTS_PER_MINUTE,
    githubKeysUrl: readGithubKeysUrl(reader),
    docsUrl: readDocsUrl(reader),
    rateLimitDefault: {
      ...UNLIMITED,
      requestsPerMinute: reader.integer("DEFAULT_REQUESTS_PER_MINUTE", 0, REQUESTS_MAX) ?? 0,
    },
    usageDays: reader.integer("USAGE_DAYS", 1, 3_650) ?? 90,
    requestLogDays: reader.integer("REQUEST_LOG_DAYS", 0, 90) ?? 7,
    auditDays: reader.integer("AUDIT_DAYS", 1, 3_650) ?? 365,
    endedKeyDays: reader.integer("ENDED_KEY_DAYS", 1, 3_650) ?? null,
    conversationDays: reader.integer("CONVERSATION_DAYS", 1, 3_650) ?? null,
    assistant: readAssistant(reader),
    runsAtOnce: reader.integer("RUNS_AT_ONCE", 1, 1_000) ?? 8,
    logLevel: reader.oneOf("LOG_LEVEL", LOG_LEVELS) ?? "info",
    drainNoticeMs: readDrainNotice(reader, defaults.drainSeconds),
    tracing: readTracing(reader),
    otlpMetrics: readOtlpMetrics(reader),
  };
  refuseSidecar(reader);
  refuseOwnProvider(reader, config);
  if (config.redisRequired && reader.text("REDIS_URL") === undefined)
    reader.refuse("REDIS_REQUIRED", "needs REDIS_URL, which names the Redis that is required");
  if (reader.text("OIDC_ISSUER") === undefined && !defaults.hasOwnProvider) refuseWithoutProvider(reader, config);
  if (config.rolesFromMembership && areTenantsAdopted(config))
    reader.refuse(
      "ROLES_FROM_MEMBERSHIP",
      "has no memberships to read where OIDC_TENANT_CLAIM names the provider's own organizations; unset it, or set IDENTITY_HOOK_SECRET or TENANT_FROM_MEMBERSHIP",
    );
  // The endpoint of all signals is read for each of them.
  if (problems.length > 0) throw new ConfigError([...new Set(problems)]);
  return Object.freeze(config);
}

export function readPort(reader: Reader): number | undefined {
  return reader.integer("PORT", 0, 65_535);
}

/** In ms. */
export function readDrainNotice(reader: Reader, defaultSeconds: number): number {
  return 1_000 * (reader.integer("DRAIN_SECONDS", 0, DRAIN_SECONDS_MAX) ?? defaultSeconds);
}

/** What makes a process an edge would be ignored by all that reads the configuration of the service. */
function refuseSidecar(reader: Reader): void {
  if (reader.text("EDGE_UPSTREAM") !== undefined)
    reader.refuse(
      "EDGE_UPSTREAM",
      "makes a process an edge of another service, which latchkey edge runs; unset it here",
    );
  else if (reader.text("EDGE_SOCKET") !== undefined)
    reader.refuse("EDGE_SOCKET", "is for an edge, so it needs EDGE_UPSTREAM, the URL of the service");
}

function readKeyBrand(reader: Reader): string | null {
  const brand = reader.text("KEY_BRAND") ?? null;
  if (brand !== null && !KEY_BRAND.test(brand))
    reader.refuse("KEY_BRAND", "must be 2 to 16 lower-case letters and digits, of which the first is a letter");
  return brand;
}

/** Another port than `PORT`, unless both are any free port. */
function readAdminPort(reader: Reader): number | null {
  const adminPort = reader.integer("ADMIN_PORT", 0, 65_535);
  if (adminPort === undefined) return null;
  const port = Number(reader.text("PORT") ?? PORT_DEFAULT);
  if (adminPort !== 0 && adminPort === port) {
    reader.refuse("ADMIN_PORT", "must be another port than PORT; without ADMIN_PORT all is on PORT");
  }
  return adminPort;
}

function readCheckPort(reader: Reader): "admin" | null {
  const checkPort = reader.oneOf("CHECK_PORT", ["admin"]) ?? null;
  if (checkPort !== null && reader.text("ADMIN_PORT") === undefined)
    reader.refuse("CHECK_PORT", "is about ADMIN_PORT, so it needs that one");
  return checkPort;
}

/** Refuses variables that would do nothing without dashboard users. */
function refuseWithoutProvider(reader: Reader, config: Config): void {
  const { identityHookSecrets, tenantFromMembership, rolesFromMembership } = config;
  const problem = "is for dashboard users, so it needs OIDC_ISSUER, OIDC_JWKS_URL and OIDC_AUDIENCE";
  if (identityHookSecrets.length > 0) reader.refuse("IDENTITY_HOOK_SECRET", problem);
  if (tenantFromMembership) reader.refuse("TENANT_FROM_MEMBERSHIP", problem);
  if (rolesFromMembership) reader.refuse("ROLES_FROM_MEMBERSHIP", problem);
}

/** Several processes need stores that they can share, and one budget for each key. */
function readWorkers(reader: Reader): number {
  const workers = reader.integer("WORKERS", 1, WORKERS_MAX) ?? 1;
  if (workers === 1) return workers;
  if (reader.text("DATABASE_URL") === undefined)
    reader.refuse("WORKERS", "above 1 needs DATABASE_URL, since the embedded store is for one process");
  else if (reader.text("REDIS_URL") === undefined)
    reader.refuse(
      "WORKERS",
      "above 1 needs REDIS_URL, since without it each process would admit the full limit of a key",
    );
  return workers;
}

/** Both files or neither. Reads and checks them here, so that problems are reported with the other mistakes. */
function readTls(reader: Reader): CertificateFiles | null {
  const certFile = reader.text("TLS_CERT_FILE");
  const keyFile = reader.text("TLS_KEY_FILE");
  if (certFile === undefined && keyFile === undefined) return null;
  if (certFile === undefined || keyFile === undefined) {
    reader.refuse(
      certFile === undefined ? "TLS_CERT_FILE" : "TLS_KEY_FILE",
      "is required as soon as one of TLS_CERT_FILE and TLS_KEY_FILE is set",
    );
    return null;
  }
  try {
    readCertificate({ certFile, keyFile });
  } catch (err) {
    if (!(err instanceof CertificateFault)) throw err;
    reader.refuse(err.variable, err.problem);
  }
  return { certFile, keyFile };
}

function readOrigins(reader: Reader): AllowedOrigins {
  const listed = (reader.text("CORS_ALLOWED_ORIGINS") ?? "*").split(",").map((origin) => origin.trim());
  if (listed.length === 1 && listed[0] === "*") return "*";
  if (listed.some((origin) => origin.includes("*"))) {
    reader.refuse(
      "CORS_ALLOWED_ORIGINS",
      "must be * alone or name every origin in full: https://*.example.com matches none",
    );
    return listed;
  }
  // In the form that a browser sends: no path, no slash at the end, no default port, lower case.
  const areOrigins = listed.every((origin) => /^https?:/.test(origin) && URL.parse(origin)?.origin === origin);
  if (!areOrigins)
    reader.refuse(
      "CORS_ALLOWED_ORIGINS",
      "must be * or a comma-separated list of origins such as https://app.example.com",
    );
  return listed;
}

function readStorage(reader: Reader, defaults: ConfigDefaults): Config["storage"] {
  const url = readDatabaseUrl(reader);
  const poolSize = reader.integer("DATABASE_POOL_SIZE", 1, 100) ?? POOL_SIZE_DEFAULT;
  if (url !== undefined) return { kind: "postgres", url, poolSize };
  return { kind: "embedded", dataDir: reader.text("DATA_DIR") ?? defaults.dataDir };
}

/**
 * A model name enables the assistant. An API key alone does not: many shells have one set for other programs, and the
 * first message of a trial must not cost anything.
 */
export function readAssistant(reader: Reader): OpenAiConfig | null {
  const baseUrl = reader.url("OPENAI_BASE_URL", ["https:", "http:"]);
  const apiKey = reader.text("OPENAI_API_KEY") ?? null;
  const model = reader.text("OPENAI_MODEL");
  const limits = {
    systemPrompt: reader.text("OPENAI_SYSTEM_PROMPT") ?? "",
    timeoutMs: reader.integer("OPENAI_TIMEOUT_MS", 100, OPENAI_TIMEOUT_MS_MAX) ?? OPENAI_TIMEOUT_MS_DEFAULT,
    historyMessages: reader.integer("OPENAI_HISTORY_MESSAGES", 1, 1_000) ?? 100,
    historyBytes: reader.integer("OPENAI_HISTORY_BYTES", 1_024, 16_777_216) ?? 262_144,
  };
  refuseUserInfo(reader, "OPENAI_BASE_URL", baseUrl, "the key goes into OPENAI_API_KEY");
  if (model === undefined) {
    if (reader.text("OPENAI_BASE_URL") !== undefined) {
      reader.refuse("OPENAI_MODEL", "is required as soon as OPENAI_BASE_URL is set");
    }
    return null;
  }
  if (apiKey === null && reader.text("OPENAI_BASE_URL") === undefined) {
    reader.refuse("OPENAI_API_KEY", "is required unless OPENAI_BASE_URL names an endpoint that needs none");
  }
  // The key is sent in a header. A shortened key that was copied with its "…" would fail at every message.
  if (apiKey !== null && !/^[\x20-\x7e]+$/.test(apiKey)) {
    reader.refuse(
      "OPENAI_API_KEY",
      "must be one line of ASCII characters; copy the whole key again from where it was made",
    );
  }
  return { baseUrl: baseUrl ?? OPENAI_URL, apiKey, model, ...limits };
}
