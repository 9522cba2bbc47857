import cluster from "node:cluster";
import type { Logger } from "pino";
import packageJson from "../package.json" with { type: "json" };
import type { App } from "./app.ts";
import { reservedRoles } from "./config/access.ts";
import { type Config, readConfig } from "./config/config.ts";
import { rereadSecrets, type Secrets } from "./config/secrets.ts";
import { unknownVariables } from "./config/unknown-variables.ts";
import { createLog } from "./observability/log/log.ts";
import { createWorkersMetrics } from "./observability/metrics/of-all-workers.ts";
import { runProcess } from "./process/process.ts";
import { superviseWorkers } from "./process/supervisor.ts";
import { shareMetrics } from "./process/worker-metrics.ts";
import { openDatabase } from "./store/sql/open.ts";

/** `npm start`: production. */
await runProcess(async () => {
  const config = readConfig(process.env);
  const { log, writeLine } = createLog(config.logLevel);
  if (config.workers > 1 && cluster.isPrimary) {
    return superviseWorkers({ count: config.workers, log, writeLine, metrics: createWorkersMetrics() });
  }
  // The database opens while the other modules load, which is the slowest part of a start.
  const [database, { startApp }] = await Promise.all([openDatabase(config.storage), import("./app.ts")]);
  const app = await startApp(config, { log, writeLine, database, ...(cluster.isWorker && { shareMetrics }) });
  const { url, address, admin } = app;
  const adminMembers = admin && { admin_url: admin.url, admin_address: admin.address };
  log.info({ version: packageJson.version, url, address, ...adminMembers, storage: config.storage.kind }, "listening");
  for (const warning of [...unknownVariables(process.env), ...warnings(config)]) log.warn(warning);
  return { ...app, reloadSecrets: secretsReloader(app, config, log) };
});

/** Returns the function that reads the files of secrets again. */
function secretsReloader(app: App, config: Config, log: Logger): () => void {
  let latest: Secrets = config;
  return () => {
    const { secrets, changed, problems } = rereadSecrets(process.env, latest);
    latest = secrets;
    app.useSecrets(secrets);
    if (changed.length > 0) log.info({ changed }, "secrets were read again");
    for (const problem of problems) log.error(`${problem}; what was read before stays in use`);
  };
}

/** Warnings about a valid configuration. */
function* warnings({ dashboard, access, storage, redis, assistant }: Config): Generator<string> {
  if (dashboard === null)
    yield "no identity provider is configured: dashboard calls are answered oidc_not_configured until OIDC_ISSUER, OIDC_JWKS_URL and OIDC_AUDIENCE are set";
  if (access.operatorTenant === null)
    yield "no OPERATOR_TENANT: a key with * has system:* and tenants:*, too, whatever its tenant";
  else if (access.rolesClaim === null)
    yield "OPERATOR_TENANT without OIDC_ROLES_CLAIM: every dashboard user of that tenant is an operator";
  const reserved = reservedRoles(access);
  if (access.operatorTenant === null && reserved.length > 0)
    yield `no OPERATOR_TENANT: no user has the scopes of system and tenants that ROLES_FILE gives to the roles ${reserved.join(", ")}`;
  if (storage.kind === "postgres" && redis === null)
    yield "no REDIS_URL: rate limits are per replica; with several replicas a key is admitted its limit by each of them";
  if (assistant === null) yield "no model is configured: replies are the built-in echo until OPENAI_MODEL is set";
  if (storage.kind === "embedded")
    yield "embedded storage: one process only, and not safe against power loss; set DATABASE_URL for production";
}
