import { isDeepStrictEqual } from "node:util";
import { readHookSecrets, readSecrets } from "./access.ts";
import { readTokenSecrets } from "./access-tokens.ts";
import { type Config, readAssistant } from "./config.ts";
import { readDatabaseUrl } from "./database-url.ts";
import type { Environment } from "./environment.ts";
import { hostUrls } from "./host-urls.ts";
import { readKeyPeppers } from "./key-peppers.ts";
import { readOtlpHeaders } from "./otlp.ts";
import { createReader } from "./reader.ts";
import { readRedis } from "./redis.ts";
import { SECRET_FILES } from "./secret-files.ts";
import type { RedisServers } from "./settings.ts";

/** The settings that change while a process runs, because their files are read again. */
export type Secrets = Pick<
  Config,
  | "storage"
  | "redis"
  | "operatorTokens"
  | "edgeTokens"
  | "identityHookSecrets"
  | "keyPeppers"
  | "accessTokens"
  | "assistant"
  | "tracing"
  | "otlpMetrics"
>;

export interface Reread {
  readonly secrets: Secrets;
  /** The variables whose secrets are others than before. */
  readonly changed: readonly string[];
  /** Why a secret stays as it was although it was to change: lines that begin with the variable. */
  readonly problems: readonly string[];
}

const RESTART = "may change its user name and password alone while the service runs; restart it to use another server";

/**
 * Reads the files of secrets again. A secret that cannot be used stays as it was, and the others change. All other variables
 * cannot change while a process runs.
 */
export function rereadSecrets(env: Environment, before: Secrets): Reread {
  const problems: string[] = [];
  const changed: string[] = [];
  // Reads all files, and reports those that cannot be used.
  const reader = createReader(env, problems);
  const unread = problems.map((line) => line.split(" ", 1)[0]);

  function reread<T>(names: readonly [string, ...string[]], old: T, read: () => T): T {
    if (names.some((name) => unread.includes(SECRET_FILES.get(name)))) return old;
    const count = problems.length;
    const value = read();
    if (problems.length > count || isDeepStrictEqual(value, old)) return old;
    changed.push(names[0]);
    return value;
  }

  const { storage, redis, accessTokens, assistant, tracing, otlpMetrics } = before;
  const secrets: Secrets = {
    storage: reread(["DATABASE_URL", "PGPASSWORD"], storage, () => {
      const url = readDatabaseUrl(reader);
      if (storage.kind === "embedded" || url === undefined) return storage;
      if (!isDeepStrictEqual(hostUrls(url).map(serverOf), hostUrls(storage.url).map(serverOf)))
        reader.refuse("DATABASE_URL", RESTART);
      return { ...storage, url };
    }),
    redis: reread(["REDIS_URL", "REDIS_SENTINEL_PASSWORD"], redis, () => {
      const servers = readRedis(reader);
      if (!isDeepStrictEqual(serversOf(servers), serversOf(redis))) reader.refuse("REDIS_URL", RESTART);
      return servers;
    }),
    operatorTokens: reread(["OPERATOR_TOKEN"], before.operatorTokens, () => readSecrets(reader, "OPERATOR_TOKEN")),
    edgeTokens: reread(["EDGE_TOKEN"], before.edgeTokens, () => readSecrets(reader, "EDGE_TOKEN")),
    identityHookSecrets: reread(["IDENTITY_HOOK_SECRET"], before.identityHookSecrets, () => readHookSecrets(reader)),
    keyPeppers: reread(["KEY_PEPPERS_FILE"], before.keyPeppers, () => readKeyPeppers(reader)),
    accessTokens: reread(["TOKEN_SECRET"], accessTokens, () => {
      const secrets = readTokenSecrets(reader);
      return accessTokens && secrets.length > 0 ? { ...accessTokens, secrets } : accessTokens;
    }),
    assistant: reread(["OPENAI_API_KEY"], assistant, () => readAssistant(reader)),
    tracing: reread(
      ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"],
      tracing,
      () => tracing && { ...tracing, ...readOtlpHeaders(reader, "traces") },
    ),
    otlpMetrics: reread(
      ["OTEL_EXPORTER_OTLP_METRICS_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"],
      otlpMetrics,
      () => otlpMetrics && { ...otlpMetrics, ...readOtlpHeaders(reader, "metrics") },
    ),
  };
  return { secrets, changed, problems: [...new Set(problems)] };
}

/** The URL of a database without user and password. */
function serverOf(text: string): string {
  const url = new URL(text);
  url.username = "";
  url.password = "";
  for (const name of ["user", "password"]) url.searchParams.delete(name);
  return url.href;
}

function serversOf(servers: RedisServers | null): unknown {
  if (servers === null) return null;
  if (servers.kind === "single") return serverOf(servers.url);
  return { ...servers, credentials: {}, sentinelCredentials: {} };
}
