import { type RateLimit, UNLIMITED } from "./domain/keys/key.ts";
import type { DashboardProvider } from "./interceptors/authentication.ts";
import type { OpenAiConfig } from "./store/assistant/openai.ts";
import type { RedisCredentials, RedisNode, RedisServers } from "./store/redis/connection.ts";
import { type DatabaseOptions, POOL_SIZE_DEFAULT } from "./store/sql/database.ts";
import type { TracingConfig } from "./telemetry/tracing.ts";
import type { AllowedOrigins } from "./transport/cors.ts";
import { CertificateFault, type CertificateFiles, readCertificate } from "./transport/tls.ts";

/** Everything the process takes from its environment, checked and frozen. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Null: cleartext. */
  readonly tls: CertificateFiles | null;
  /** Pages in browsers that may call. */
  readonly corsAllowedOrigins: AllowedOrigins;
  readonly storage: DatabaseOptions;
  /** Null: limits are kept in this process, so each replica admits the full limit. */
  readonly redis: RedisServers | null;
  /** Null: dashboard calls are answered `oidc_not_configured`. */
  readonly dashboard: DashboardProvider | null;
  /** `host:port` of JWKS URLs of tenants that may be plain http or private. */
  readonly jwksAllowedHosts: readonly string[];
  /** Limits of new keys that name none. */
  readonly rateLimitDefault: RateLimit;
  /** Null: the built-in echo answers. */
  readonly assistant: OpenAiConfig | null;
  /** Most messages that this process has the assistant answer at once. */
  readonly runsAtOnce: number;
  readonly logLevel: LogLevel;
  /** How long a process that is told to stop goes on serving, so that load balancers notice. */
  readonly drainNoticeMs: number;
  /** Null: no spans are made, and OpenTelemetry is not loaded. */
  readonly tracing: TracingConfig | null;
}

export type Environment = Readonly<Record<string, string | undefined>>;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Values for variables that are not set. */
export interface ConfigDefaults {
  readonly host: string;
  readonly dataDir: string;
  readonly drainSeconds: number;
}

/** Those of OpenTelemetry's specification. */
const SAMPLERS = [
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
  "always_on",
  "always_off",
  "traceidratio",
] as const;
const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
const PRODUCTION_DEFAULTS: ConfigDefaults = { host: "0.0.0.0", dataDir: ".latchkey/data", drainSeconds: 3 };
const REDIS_NODE = String.raw`(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?`;
const REDIS_CREDENTIALS = String.raw`(?:[^\s/@]*@)?`;
const REDIS_URL = new RegExp(
  `^(?:rediss?://${REDIS_CREDENTIALS}${REDIS_NODE}(?:/\\d*)?|redis\\+sentinel://${REDIS_CREDENTIALS}${REDIS_NODE}(?:,${REDIS_NODE})*/[\\w.-]+|redis\\+cluster://${REDIS_CREDENTIALS}${REDIS_NODE}(?:,${REDIS_NODE})*)$`,
);
const NAMES_A_HOST = "must name a host, and no port above 65535";
const IS_ENCODED = "must have its user name and password percent-encoded; % itself is written %25";
const OPENAI_URL = "https://api.openai.com/v1";
/** A reply comes whole, and Node's fetch waits no longer for the head of an answer. */
const OPENAI_TIMEOUT_MS_MAX = 300_000;
/** The most that a limit may be: what an `int32` can hold. */
const REQUESTS_MAX = 2_147_483_647;
/** What is left of the 28 s in which the process must end goes to requests and runs under way. */
const DRAIN_SECONDS_MAX = 10;

/** Every mistake in the environment at once, a line each. Names variables, never their values: some are secrets. */
class ConfigError extends Error {
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
  const config: Config = {
    host: reader.text("HOST") ?? defaults.host,
    port: reader.integer("PORT", 0, 65_535) ?? 8_080,
    tls: readTls(reader),
    corsAllowedOrigins: readOrigins(reader),
    storage: readStorage(reader, defaults),
    redis: readRedis(reader),
    dashboard: readDashboard(reader),
    jwksAllowedHosts: reader.hosts("JWKS_ALLOWED_HOSTS"),
    rateLimitDefault: {
      ...UNLIMITED,
      requestsPerMinute: reader.integer("DEFAULT_REQUESTS_PER_MINUTE", 0, REQUESTS_MAX) ?? 0,
    },
    assistant: readAssistant(reader),
    runsAtOnce: reader.integer("RUNS_AT_ONCE", 1, 1_000) ?? 8,
    logLevel: reader.oneOf("LOG_LEVEL", LOG_LEVELS) ?? "info",
    drainNoticeMs: 1_000 * (reader.integer("DRAIN_SECONDS", 0, DRAIN_SECONDS_MAX) ?? defaults.drainSeconds),
    tracing: readTracing(reader),
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

type Reader = ReturnType<typeof createReader>;

/** Reads variables one by one and notes what is wrong with them. An empty variable counts as not set. */
function createReader(env: Environment, problems: string[]) {
  const text = (name: string): string | undefined => env[name]?.trim() || undefined;
  const refuse = (name: string, problem: string): undefined => {
    problems.push(`${name} ${problem}`);
    return undefined;
  };
  return {
    text,
    refuse,
    integer(name: string, min: number, max: number): number | undefined {
      const value = text(name);
      if (value === undefined) return undefined;
      const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
      return number >= min && number <= max ? number : refuse(name, `must be an integer from ${min} to ${max}`);
    },
    share(name: string): number | undefined {
      const value = text(name);
      if (value === undefined) return undefined;
      const share = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN;
      return share <= 1 ? share : refuse(name, "must be a number from 0 to 1, such as 0.1");
    },
    url(name: string, protocols: readonly string[]): string | undefined {
      const value = text(name);
      if (value === undefined) return undefined;
      if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value;
      const schemes = protocols.map((protocol) => `${protocol}//`);
      return schemes.some((scheme) => value.toLowerCase().startsWith(scheme))
        ? refuse(name, `${NAMES_A_HOST}; / ? # in a user name or password are written %2F %3F %23`)
        : refuse(name, `must be a URL beginning with ${schemes.join(" or ")}`);
    },
    oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
      const value = text(name);
      if (value === undefined) return undefined;
      return allowed.find((word) => word === value) ?? refuse(name, `must be one of ${allowed.join(", ")}`);
    },
    hosts(name: string): readonly string[] {
      const hosts = (text(name) ?? "")
        .split(",")
        .map((host) => host.trim().toLowerCase())
        .filter((host) => host !== "");
      for (const host of hosts) {
        const [, port] = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\]):(\d{1,5})$/.exec(host) ?? [];
        if (!(Number(port) <= 65_535)) {
          refuse(name, "must be a comma-separated list of host:port, such as localhost:9000");
          break;
        }
      }
      return hosts;
    },
  };
}

/** Both files or none; that they can be read and fit is checked here, so that it is told with the other mistakes. */
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
  // As a browser sends it: no path, no slash at the end, no default port, lower case.
  const areOrigins = listed.every((origin) => /^https?:/.test(origin) && URL.parse(origin)?.origin === origin);
  if (!areOrigins)
    reader.refuse(
      "CORS_ALLOWED_ORIGINS",
      "must be * or a comma-separated list of origins such as https://app.example.com",
    );
  return listed;
}

function readStorage(reader: Reader, defaults: ConfigDefaults): Config["storage"] {
  const url = reader.url("DATABASE_URL", ["postgres:", "postgresql:"]);
  if (url !== undefined && percentDecoded(url) === undefined) reader.refuse("DATABASE_URL", IS_ENCODED);
  const poolSize = reader.integer("DATABASE_POOL_SIZE", 1, 100) ?? POOL_SIZE_DEFAULT;
  if (url !== undefined) return { kind: "postgres", url, poolSize };
  return { kind: "embedded", dataDir: reader.text("DATA_DIR") ?? defaults.dataDir };
}

/**
 * - `redis://[user:password@]host:port[/db]`, or `rediss://` with TLS
 * - `redis+sentinel://[user:password@]host:port,host:port/name`: the primary called `name`, as its sentinels tell
 * - `redis+cluster://[user:password@]host:port,host:port`: a cluster, by some of its nodes
 *
 * No URL parser takes several hosts, so a list of them is taken apart here.
 */
function readRedis(reader: Reader): RedisServers | null {
  const url = reader.text("REDIS_URL");
  if (url === undefined) return null;
  if (!REDIS_URL.test(url)) {
    reader.refuse(
      "REDIS_URL",
      "must be redis://host:port, rediss://host:port, redis+sentinel://host:port,host:port/name or redis+cluster://host:port,host:port",
    );
    return null;
  }
  const [scheme = "", rest = ""] = url.split("://", 2);
  const [authority = "", primary = ""] = rest.split("/", 2);
  const at = authority.lastIndexOf("@");
  const hosts = authority.slice(at + 1).split(",");
  const nameHosts = hosts.every((host) => URL.canParse(`redis://${host}`));
  if (!nameHosts) reader.refuse("REDIS_URL", NAMES_A_HOST);
  const isEncoded = percentDecoded(authority) !== undefined;
  if (!isEncoded) reader.refuse("REDIS_URL", IS_ENCODED);
  if (!nameHosts || !isEncoded) return null;
  if (!scheme.includes("+")) return { kind: "single", url };
  const servers = { nodes: hosts.map(redisNode), credentials: redisCredentials(authority.slice(0, Math.max(at, 0))) };
  return scheme === "redis+sentinel" ? { kind: "sentinel", primary, ...servers } : { kind: "cluster", ...servers };
}

function redisNode(host: string): RedisNode {
  const { hostname, port } = new URL(`redis://${host}`);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 6_379) };
}

function redisCredentials(userInfo: string): RedisCredentials {
  // The first colon ends the name: the password may hold more of them.
  const [username = "", ...rest] = userInfo.split(":").map(decodeURIComponent);
  const password = rest.join(":");
  return { ...(username && { username }), ...(password && { password }) };
}

/** Undefined where it cannot be decoded. Asked here, since a driver does not say which variable its URL is from. */
function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * A model makes it one; a key alone does not, because many a developer's shell has one set for other programs, and the
 * first message of a trial must not cost anything.
 */
function readAssistant(reader: Reader): OpenAiConfig | null {
  const baseUrl = reader.url("OPENAI_BASE_URL", ["https:", "http:"]);
  const apiKey = reader.text("OPENAI_API_KEY") ?? null;
  const model = reader.text("OPENAI_MODEL");
  const limits = {
    systemPrompt: reader.text("OPENAI_SYSTEM_PROMPT") ?? "",
    timeoutMs: reader.integer("OPENAI_TIMEOUT_MS", 100, OPENAI_TIMEOUT_MS_MAX) ?? 60_000,
    historyMessages: reader.integer("OPENAI_HISTORY_MESSAGES", 1, 1_000) ?? 100,
    historyBytes: reader.integer("OPENAI_HISTORY_BYTES", 1_024, 16_777_216) ?? 262_144,
  };
  if (baseUrl !== undefined && new URL(baseUrl).username + new URL(baseUrl).password !== "") {
    reader.refuse("OPENAI_BASE_URL", "must be without user name and password; the key goes into OPENAI_API_KEY");
  }
  if (model === undefined) {
    if (reader.text("OPENAI_BASE_URL") !== undefined) {
      reader.refuse("OPENAI_MODEL", "is required as soon as OPENAI_BASE_URL is set");
    }
    return null;
  }
  if (apiKey === null && reader.text("OPENAI_BASE_URL") === undefined) {
    reader.refuse("OPENAI_API_KEY", "is required unless OPENAI_BASE_URL names an endpoint that needs none");
  }
  return { baseUrl: baseUrl ?? OPENAI_URL, apiKey, model, ...limits };
}

/** All three of issuer, key set and audience, or none. */
function readDashboard(reader: Reader): DashboardProvider | null {
  const issuer = reader.url("OIDC_ISSUER", ["https:", "http:"]);
  const jwksUrl = reader.url("OIDC_JWKS_URL", ["https:", "http:"]);
  const audience = reader.text("OIDC_AUDIENCE");
  const tenantClaim = reader.text("OIDC_TENANT_CLAIM") ?? "tenant_id";
  const names = ["OIDC_ISSUER", "OIDC_JWKS_URL", "OIDC_AUDIENCE"];
  const missing = names.filter((name) => reader.text(name) === undefined);
  if (missing.length === names.length) return null;
  for (const name of missing)
    reader.refuse(name, "is required as soon as one of OIDC_ISSUER, OIDC_JWKS_URL and OIDC_AUDIENCE is set");
  if (issuer === undefined || jwksUrl === undefined || audience === undefined) return null;
  return { expectation: { issuer, jwksUrl, audience, jwksOwner: { kind: "operator" } }, tenantClaim };
}

/**
 * An endpoint turns it on, unless one of the two usual switches turns it off. What only says how spans are sent, such as
 * `OTEL_EXPORTER_OTLP_HEADERS`, and who sends them, is read by OpenTelemetry itself (ADR 15).
 */
function readTracing(reader: Reader): TracingConfig | null {
  const queue = {
    maxQueueSize: reader.integer("OTEL_BSP_MAX_QUEUE_SIZE", 1, 100_000) ?? 2_048,
    maxExportBatchSize: reader.integer("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1, 10_000) ?? 512,
    scheduledDelayMillis: reader.integer("OTEL_BSP_SCHEDULE_DELAY", 1, 600_000) ?? 5_000,
    exportTimeoutMillis: reader.integer("OTEL_BSP_EXPORT_TIMEOUT", 1, 600_000) ?? 30_000,
  };
  const isDisabled = reader.text("OTEL_SDK_DISABLED")?.toLowerCase() === "true";
  const exact = reader.text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  if (isDisabled || (exact ?? reader.text("OTEL_EXPORTER_OTLP_ENDPOINT")) === undefined) return null;
  if (reader.oneOf("OTEL_TRACES_EXPORTER", ["otlp", "none"]) === "none") return null;
  const protocols = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"] as const;
  const protocol = protocols.find((name) => reader.text(name) !== undefined);
  if (protocol !== undefined && reader.text(protocol) !== "http/protobuf") {
    reader.refuse(protocol, "must be http/protobuf; with OTEL_TRACES_EXPORTER=none no spans are made");
  }
  return { url: readTracesUrl(reader, exact !== undefined), ...readSampling(reader), queue };
}

/** The endpoint of all signals has a path for each; that of traces is taken as it is. */
function readTracesUrl(reader: Reader, isExact: boolean): string {
  if (isExact) return reader.url("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", ["https:", "http:"]) ?? "";
  const url = reader.url("OTEL_EXPORTER_OTLP_ENDPOINT", ["https:", "http:"]) ?? "";
  return `${url.replace(/\/$/, "")}/v1/traces`;
}

function readSampling(reader: Reader): Pick<TracingConfig, "followsParent" | "sampledShare"> {
  const sampler = reader.oneOf("OTEL_TRACES_SAMPLER", SAMPLERS) ?? "parentbased_always_on";
  const share = sampler.endsWith("traceidratio") ? reader.share("OTEL_TRACES_SAMPLER_ARG") : undefined;
  return { followsParent: sampler.startsWith("parentbased"), sampledShare: sampler.endsWith("off") ? 0 : (share ?? 1) };
}
