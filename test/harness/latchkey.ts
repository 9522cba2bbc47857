import { rm } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { inject } from "vitest";
import { type App, startApp } from "../../src/app/app.ts";
import type { AppOptions } from "../../src/app/setup.ts";
import type { Config } from "../../src/config/config.ts";
import { generateSigningKey, type IdentityProvider, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import type { Assistant } from "../../src/domain/conversations/assistant.ts";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { createLogger } from "../../src/observability/log/log.ts";
import { TIMES } from "../../src/store/replicas/times.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { copyFolder, copyTemplate } from "../servers/embedded-template.ts";
import { copyServingDatabase, createServingUser } from "../servers/least-privilege.ts";
import { overSocket } from "../servers/postgres.ts";
import { accessRules } from "./access-rules.ts";
import { ACT } from "./act.ts";
import { type Answer, post } from "./http.ts";
import { LIMITS } from "./listen-options.ts";
import { NO_BOUNDS } from "./no-bounds.ts";
import { OPERATOR_TOKEN } from "./operator.ts";
import { redisAt } from "./redis-servers.ts";
import { TestClock } from "./test-clock.ts";
import { TOKEN_ISSUER, TOKEN_SECRET } from "./token-settings.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** What the contract tests of this project run on; `redis` is PostgreSQL with Redis. */
    storage: Config["storage"]["kind"] | "redis";
  }
}

/** A key as its creator gets it. */
export interface CreatedKey {
  readonly key_id: string;
  readonly key: string;
  readonly key_prefix: string;
}

/** A running service on a real port, with its identity provider, its clock and its log at hand. */
export interface Latchkey {
  readonly url: string;
  /** Of the admin port, where the configuration has one. */
  readonly adminUrl: string | undefined;
  readonly clock: TestClock;
  readonly provider: IdentityProvider;
  /** Every log line written so far. */
  readonly logLines: readonly string[];
  /** A dashboard user's token; of a new tenant unless one is given. */
  dashboardToken(claims?: Record<string, unknown>): Promise<string>;
  /** Headers of a dashboard user of a tenant; of a new one unless given. */
  dashboard(tenant?: string): Promise<Record<string, string>>;
  call(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Creates a key through the API: by default a secret key with `conversations:*`. */
  createKey(headers: Record<string, string>, fields?: Record<string, unknown>): Promise<CreatedKey>;
  close(): Promise<void>;
}

export interface LatchkeyOptions {
  readonly config?: Partial<Config>;
  readonly assistant?: Assistant;
  /** Keys that are in the storage before the service starts, past every rule of the API. */
  readonly storedKeys?: readonly NewKey[];
  readonly runPollMs?: number;
  readonly purgeMs?: number;
  readonly webhookPollMs?: number;
  readonly erasureWaitMs?: number;
  /** Instead of the project's storage, which the test may close to make it unavailable. */
  readonly database?: SqlDatabase;
  /** Whether no other process changes `database`. */
  readonly isAlone?: boolean;
}

/** Of runs and webhooks, which announcements wake. */
const POLL_MS = 60_000;
/** For how long a user has one token. */
const SAME_TOKEN_MS = 500;
type Looks = Pick<AppOptions, "replicaTimes" | "probeMs">;
const PROBE_MS = 60_000;
/** A service that has its database to itself finds nothing new there. Its looks would cost 3 % of a core, for as long as it runs. */
const ALONE: Looks = {
  replicaTimes: { ...TIMES, lease: 30_000, bound: 60_000, poll: 10_000, renewal: 10_000 },
  probeMs: PROBE_MS,
};
/** Tests wait for leases of edges, which end with those of their replica. */
const WITH_EDGES: Looks = { replicaTimes: { ...TIMES, poll: 500 }, probeMs: PROBE_MS };

const shared: { readonly config: Partial<Config>; readonly service: Promise<Latchkey> }[] = [];

/**
 * One service of a configuration for all test files of a worker: use unique tenants, and mint tokens after moving the clock. A test
 * starts its own service to stop it, to move its clock by days, to fill its bounds, or to find its database empty.
 */
export function sharedLatchkey(config: Partial<Config> = {}): Promise<Latchkey> {
  const found = shared.find((each) => isDeepStrictEqual(each.config, config));
  if (found !== undefined) return found.service;
  const service = startLatchkey({ config });
  shared.push({ config, service });
  return service;
}

export function newTenant(): string {
  return newId("ten");
}

export async function startLatchkey(options: LatchkeyOptions = {}): Promise<Latchkey> {
  const clock = new TestClock();
  const provider = await startIdentityProvider(await generateSigningKey());
  const logLines: string[] = [];
  const log = createLogger("info", (line) => void logLines.push(line));
  const { config, cleanUp } = await testConfig(provider, options.config ?? {});
  if (options.storedKeys !== undefined) await storeKeys(config.storage, options.storedKeys);
  const app = await startApp(config, {
    log,
    writeLine: (makeLine) => void logLines.push(makeLine()),
    clock: clock.now,
    ...(inject("storage") === "redis" && { redisClock: clock.now }),
    ...(options.assistant && { assistant: options.assistant }),
    runPollMs: options.runPollMs ?? POLL_MS,
    ...(options.purgeMs && { purgeMs: options.purgeMs }),
    webhookPollMs: options.webhookPollMs ?? POLL_MS,
    ...(options.erasureWaitMs !== undefined && { erasureWaitMs: options.erasureWaitMs }),
    ...(options.database && { database: options.database }),
    httpLimits: LIMITS,
    ...looksOf(options),
  });
  const dashboardToken = (claims: Record<string, unknown> = {}): Promise<string> =>
    provider.sign({ sub: "user-1", tenant_id: newTenant(), ...claims }, clock.now());
  let last: { tenant: string; atMs: number; headers: Record<string, string> } | undefined;
  return {
    url: app.url,
    adminUrl: app.admin?.url,
    clock,
    provider,
    logLines,
    dashboardToken,
    async dashboard(tenant = newTenant()) {
      const atMs = clock.now().getTime();
      // Signing and verifying cost more than most calls. A moved clock gets a new one.
      if (last?.tenant !== tenant || Math.abs(atMs - last.atMs) >= SAME_TOKEN_MS) {
        last = { tenant, atMs, headers: { authorization: `Bearer ${await dashboardToken({ tenant_id: tenant })}` } };
      }
      return { ...last.headers };
    },
    call: (path, body, headers = {}) => post(app.url, path, body, headers),
    createKey: (headers, fields = {}) => createKey(app.url, headers, fields),
    close: () => closeAll(app, provider, cleanUp),
  };
}

/** Those of production where a test may start a replica beside it, make its storage unavailable, or wait for a purge. */
function looksOf({ config = {}, database, purgeMs, isAlone = database === undefined }: LatchkeyOptions): Looks {
  if (!isAlone || [config.storage, config.redis, purgeMs].some((each) => each !== undefined)) return {};
  return config.edgeTokens === undefined ? ALONE : WITH_EDGES;
}

async function testConfig(
  provider: IdentityProvider,
  overrides: Partial<Config>,
): Promise<{ config: Config; cleanUp: () => Promise<void> }> {
  const { issuer, jwksUrl, audience } = provider;
  const { storage, cleanUp } = await testStorage();
  const config: Config = {
    host: "127.0.0.1",
    port: 0,
    adminPort: null,
    checkPort: null,
    workers: 1,
    tls: null,
    // A machine that runs many tests at once is overloaded.
    overload: NO_BOUNDS,
    corsAllowedOrigins: "*",
    trustedProxies: { ranges: [], header: null },
    storage,
    dashboard: {
      expectation: { issuer, jwksUrl, audience, jwksOwner: { kind: "operator" } },
      userIdClaim: "sub",
      tenantClaim: "tenant_id",
      requiredClaims: {},
    },
    console: null,
    access: accessRules(),
    resource: null,
    tenantFromMembership: false,
    rolesFromMembership: false,
    singlePostgres: false,
    usageDays: 90,
    requestLogDays: 7,
    auditDays: 365,
    identityHookSecrets: [],
    operatorTokens: [OPERATOR_TOKEN],
    edgeTokens: [],
    keyPeppers: new Map(),
    accessTokens: { issuer: TOKEN_ISSUER, secrets: [TOKEN_SECRET] },
    redis: inject("storage") === "redis" ? redisAt(await createServingUser(inject("redisUrl"))) : null,
    // A busy machine may be slow, too, and tests count what is admitted.
    redisTimeoutMs: 1_000,
    redisRequired: false,
    redisMoving: false,
    jwksAllowedHosts: [],
    webhookAllowedHosts: [],
    conversationDays: null,
    endedKeyDays: null,
    assistant: null,
    runsAtOnce: 8,
    keyBrand: null,
    githubKeysUrl: null,
    docsUrl: "",
    tenantKeysMax: 10_000,
    // Most tests have one user, and a clock that stands still.
    dashboardRequestsPerMinute: 0,
    rateLimitDefault: { requestsPerMinute: 0, requestsPerHour: 0, burstSize: 0 },
    logLevel: "info",
    drainNoticeMs: 0,
    tracing: null,
    otlpMetrics: null,
    ...overrides,
  };
  return { config, cleanUp };
}

/** A storage of its own, of the kind that the project tests. On PostgreSQL the role has the documented privileges alone. */
export async function testStorage(): Promise<{ storage: Config["storage"]; cleanUp: () => Promise<void> }> {
  if (inject("storage") === "postgres" || inject("storage") === "redis") {
    const { url } = await copyServingDatabase(inject("servingTemplate"));
    return { storage: { kind: "postgres", url: overSocket(url, inject("postgresSocket")) }, cleanUp: async () => {} };
  }
  const dataDir = await copyFolder(inject("embeddedTemplate"));
  await copyTemplate(inject("embeddedTemplate"), dataDir);
  return { storage: { kind: "embedded", dataDir }, cleanUp: () => rm(dataDir, { recursive: true, force: true }) };
}

async function storeKeys(storage: Config["storage"], keys: readonly NewKey[]): Promise<void> {
  const database = await openDatabase(storage);
  await migrateToLatest(database);
  const store = createKeyStore(database);
  for (const key of keys) await store.insertKey(key, ACT);
  await database.close();
}

export async function createKey(
  url: string,
  headers: Record<string, string>,
  fields: Record<string, unknown>,
): Promise<CreatedKey> {
  const body = { name: "test key", permissions: ["conversations:*"], ...fields };
  const answer = await post(url, "/api/v1/api-keys/create", body, headers);
  if (answer.status !== 200) throw new Error(`no key was created: ${answer.status} ${answer.text}`);
  // The shape is the contract's, and the tests of create check it.
  return answer.json.result as CreatedKey;
}

async function closeAll(app: App, provider: IdentityProvider, cleanUp: () => Promise<void>): Promise<void> {
  await app.close();
  await provider.close();
  await cleanUp();
}
