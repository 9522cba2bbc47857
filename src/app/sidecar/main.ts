import type { Logger } from "pino";
import packageJson from "../../../package.json" with { type: "json" };
import { openFilesWarnings } from "../../config/open-files.ts";
import { readSidecarConfig, rereadToken, type SidecarConfig, sidecarWarnings } from "../../config/sidecar.ts";
import { unknownVariables } from "../../config/unknown-variables.ts";
import { createLog } from "../../observability/log/log.ts";
import { runProcess } from "../../process/process.ts";
import { type Sidecar, startSidecar } from "./sidecar.ts";

/** `latchkey edge`, and `npm start` with EDGE_UPSTREAM: an edge as a process of its own. */
await runProcess(async () => {
  const config = readSidecarConfig(process.env);
  const { log, writeLine } = createLog(config.logLevel);
  const sidecar = await startSidecar(config, { log, writeLine });
  const { port, socketPath } = sidecar;
  log.info({ version: packageJson.version, ...port, socket: socketPath, upstream: config.upstream }, "listening");
  for (const warning of [...unknownVariables(process.env), ...sidecarWarnings(config), ...openFilesWarnings()])
    log.warn(warning);
  // It has no certificate.
  return { close: sidecar.close, reloadCertificate: () => {}, reloadSecrets: tokenReloader(sidecar, config, log) };
});

/** Returns the function that reads the file of the token again. */
function tokenReloader(sidecar: Sidecar, config: SidecarConfig, log: Logger): () => void {
  let latest = config.token;
  return () => {
    const { token, problems } = rereadToken(process.env, latest);
    if (token !== latest) {
      latest = token;
      sidecar.useToken(token);
      log.info({ changed: ["EDGE_TOKEN"] }, "secrets were read again");
    }
    for (const problem of problems) log.error(`${problem}; what was read before stays in use`);
  };
}
