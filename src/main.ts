import packageJson from "../package.json" with { type: "json" };
import { readConfig } from "./config/config.ts";
import { unknownVariables } from "./config/unknown-variables.ts";
import { configWarnings } from "./config/warnings.ts";
import { createLog } from "./observability/log/log.ts";
import { runProcess } from "./process/process.ts";
import { openDatabase } from "./store/sql/open.ts";

/** `npm start`: production. */
await runProcess(async () => {
  const config = readConfig(process.env);
  const { log, writeLine } = createLog(config.logLevel);
  // The database opens while the other modules load, which is the slowest part of a start.
  const [database, { startApp }] = await Promise.all([openDatabase(config.storage), import("./app.ts")]);
  const app = await startApp(config, { log, writeLine, database });
  const { url, address } = app;
  log.info({ version: packageJson.version, url, address, storage: config.storage.kind }, "listening");
  for (const warning of [...unknownVariables(process.env), ...configWarnings(config)]) log.warn(warning);
  return app;
});
