import cluster from "node:cluster";
import type { Logger } from "pino";
import packageJson from "../package.json" with { type: "json" };
import type { App } from "./app/app.ts";
import { type Config, readConfig } from "./config/config.ts";
import { openFilesWarnings } from "./config/open-files.ts";
import { rereadSecrets, type Secrets } from "./config/secrets.ts";
import { isSidecar } from "./config/sidecar.ts";
import { unknownVariables } from "./config/unknown-variables.ts";
import { configWarnings } from "./config/warnings.ts";
import { createLog } from "./observability/log/log.ts";
import { createWorkersMetrics } from "./observability/metrics/of-all-workers.ts";
import { runProcess, type Service } from "./process/process.ts";
import { superviseWorkers } from "./process/supervisor.ts";
import { sendToSupervisor } from "./process/worker-messages.ts";
import { shareMetrics } from "./process/worker-metrics.ts";
import { openDatabase } from "./store/sql/driver/open.ts";

/** `npm start`: production. With EDGE_UPSTREAM, an edge of another service. */
if (isSidecar(process.env)) await import("./app/sidecar/main.ts");
else await runProcess(serve);

async function serve(): Promise<Service> {
  const config = readConfig(process.env);
  const { log, writeLine } = createLog(config.logLevel);
  if (config.workers > 1 && cluster.isPrimary) {
    return superviseWorkers({ count: config.workers, log, writeLine, metrics: createWorkersMetrics() });
  }
  // The database opens while the other modules load, which is the slowest part of a start.
  const [database, { startApp }] = await Promise.all([openDatabase(config.storage), import("./app/app.ts")]);
  const app = await startApp(config, { log, writeLine, database, ...(cluster.isWorker && { shareMetrics }) });
  const { url, address, admin } = app;
  const adminMembers = admin && { admin_url: admin.url, admin_address: admin.address };
  log.info({ version: packageJson.version, url, address, ...adminMembers, storage: config.storage.kind }, "listening");
  for (const warning of [...unknownVariables(process.env), ...configWarnings(config), ...openFilesWarnings()])
    log.warn(warning);
  if (cluster.isWorker) sendToSupervisor({ kind: "started" });
  return { ...app, reloadSecrets: secretsReloader(app, config, log) };
}

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
