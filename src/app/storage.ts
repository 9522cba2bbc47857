import type { Logger } from "pino";
import type { Secrets } from "../config/secrets.ts";
import type { AccessTokenStore, RuleStates } from "../domain/access-tokens/access-token-store.ts";
import type { AuditTrail } from "../domain/audit/audit-trail.ts";
import type { IdempotentCalls } from "../domain/idempotency/idempotent-call.ts";
import type { KeyFormatStore } from "../domain/key-formats/format-store.ts";
import type { KeyStore } from "../domain/keys/key-store.ts";
import type { OrgStore } from "../domain/orgs/org-store.ts";
import type { RequestLog } from "../domain/requests/request-log.ts";
import type { TenantStore } from "../domain/tenants/tenant-store.ts";
import type { UsageHistory } from "../domain/usage/usage-store.ts";
import type { KeyClock } from "../domain/vocabulary/clock.ts";
import { reportDatabase } from "../observability/metrics/database.ts";
import { createStorageWatch, type StorageWatch } from "../observability/metrics/storage-watch.ts";
import type { StoredKeysIssuer } from "../store/jwks/issuer/issuer.ts";
import { connectLimiter } from "../store/limits/connect-limiter.ts";
import type { ConnectedLimiter } from "../store/limits/connected-limiter.ts";
import { cacheTenants } from "../store/replicas/cached-reads.ts";
import { createAccessTokenStore } from "../store/sql/access-tokens/access-token-store.ts";
import { createRuleStates } from "../store/sql/access-tokens/rule-states.ts";
import { createAuditTrail } from "../store/sql/audit/audit-trail.ts";
import type { SqlDatabase } from "../store/sql/driver/database.ts";
import type { Hint } from "../store/sql/driver/hints.ts";
import { createIdempotentCalls } from "../store/sql/idempotency/idempotent-calls.ts";
import { createKeyFormatStore } from "../store/sql/key-formats/format-store.ts";
import { createKeyStore } from "../store/sql/keys/key-store.ts";
import { migrateToLatest } from "../store/sql/migrations/migrator.ts";
import { createOrgStore } from "../store/sql/orgs/org-store.ts";
import { createRequestLog } from "../store/sql/requests/request-log.ts";
import { createTenantStore } from "../store/sql/tenants/tenant-store.ts";
import { createUsageStore } from "../store/sql/usage/usage-store.ts";
import { type Guards, startGuards } from "./guards.ts";
import { type KeyRecords, openKeyRecords } from "./key-records.ts";
import { logServerSetup } from "./server-setup.ts";
import type { Setup } from "./setup.ts";
import { openTokenIssuer, UNREAD } from "./token-issuer.ts";
import type { Watch } from "./watch.ts";

/** The database and Redis, and the stores that several parts share. */
export interface Storage {
  readonly database: SqlDatabase;
  readonly watch: StorageWatch;
  /** Returns a function that logs a failure with this message. */
  readonly logFailure: (message: string) => (err: unknown) => void;
  readonly limits: ConnectedLimiter;
  readonly records: KeyRecords;
  readonly guards: Guards;
  readonly keyClock: KeyClock;
  readonly keys: KeyStore;
  readonly formats: KeyFormatStore;
  readonly calls: IdempotentCalls;
  /** Finds tenants in the cache. */
  readonly tenants: TenantStore;
  readonly accessTokens: AccessTokenStore;
  readonly ruleStates: RuleStates;
  readonly orgs: OrgStore;
  readonly audit: AuditTrail;
  readonly history: UsageHistory;
  readonly requests: RequestLog;
  /** Of tokens of the service's own. Undefined: it issues none. */
  readonly tokenIssuer: StoredKeysIssuer | undefined;
  /** Has `onHint` called with the announcements of other replicas. */
  listen(onHint: (hint: Hint) => void): void;
  /** From now on new connections use these secrets. */
  useSecrets(latest: Secrets): void;
}

/** Makes this process a replica of its deployment, after migrating the database. Throws if it cannot be one. */
export async function openStorage(setup: Setup, watch: Watch, database: SqlDatabase): Promise<Storage> {
  const { config, options, clock, life } = setup;
  const { log, metrics, conditions } = watch;
  const { error, warn } = conditions;
  await refuse(database.poolerProblem());
  await migrate(database, log);
  reportDatabase(metrics, database);
  const storageWatch = createStorageWatch({ probe: database.checkDiskSpace, log, metrics, probeMs: options.probeMs });
  life.onIdle(storageWatch.close);
  const limits = await connectLimiter(config.redis, {
    log,
    error,
    warn,
    metrics,
    clock,
    redisClock: options.redisClock,
    redisTimeoutMs: config.redisTimeoutMs,
    probeMs: options.probeMs,
  });
  life.onClose(limits.close);
  const records = await openKeyRecords({
    ...{ database, log, warn, metrics },
    keepHistory: limits.keepHistory,
    hasEdges: config.edgeTokens.length > 0,
    clock: options.clock,
    times: options.replicaTimes,
  });
  life.onClose(records.close);
  const guards = await startGuards({ database, limits, config, log });
  life.onClose(guards.close);
  await logServerSetup(database, config, log);
  const { cache, invalidation } = records;
  const tenants = createTenantStore(database, invalidation);
  const keyClock = options.clock ?? records.clock;
  const tokenIssuer = await openTokenIssuer(setup, watch, { database, keyClock });
  return {
    database,
    watch: storageWatch,
    logFailure: (message) => (err) => storageWatch.failed(err, () => conditions.error(message, err)),
    limits,
    records,
    guards,
    keyClock,
    keys: createKeyStore(database, invalidation, options.clock),
    formats: createKeyFormatStore(database, invalidation, options.clock),
    calls: createIdempotentCalls(database, options.clock),
    tenants: { ...tenants, ...cacheTenants(cache, tenants) },
    accessTokens: createAccessTokenStore(database, invalidation, options.clock),
    ruleStates: createRuleStates(database),
    orgs: createOrgStore(database, invalidation, options.clock),
    audit: createAuditTrail(database),
    history: createUsageStore(database),
    requests: createRequestLog(database, options.clock),
    tokenIssuer,
    listen(onHint) {
      const receive = (hint: Hint): void => (hint.kind === "keys" ? records.wake() : onHint(hint));
      const hints = database.listen({
        onHint: receive,
        onChange(isListening) {
          log.info({ hearing: isListening }, "announcements of other replicas");
          // Others may have been missed until now.
          receive({ kind: "queued" });
          receive({ kind: "keys" });
        },
      });
      life.onClose(hints.close);
    },
    useSecrets(latest) {
      if (latest.storage.kind === "postgres") database.signInWith(latest.storage.url);
      if (latest.redis !== null) limits.signInWith(latest.redis);
      // Encrypts the signing keys under the first secret.
      tokenIssuer?.refresh().catch((err: unknown) => warn(UNREAD, err));
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
