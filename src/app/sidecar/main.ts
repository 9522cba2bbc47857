import packageJson from "../../../package.json" with { type: "json" };
import { readSidecarConfig, sidecarWarnings } from "../../config/sidecar.ts";
import { unknownVariables } from "../../config/unknown-variables.ts";
import { createLog } from "../../observability/log/log.ts";
import { runProcess } from "../../process/process.ts";
import { startSidecar } from "./sidecar.ts";

/** `latchkey edge`, and `npm start` with EDGE_UPSTREAM: an edge as a process of its own. */
await runProcess(async () => {
  const config = readSidecarConfig(process.env);
  const { log, writeLine } = createLog(config.logLevel);
  const sidecar = await startSidecar(config, { log, writeLine });
  const { port, socketPath } = sidecar;
  log.info({ version: packageJson.version, ...port, socket: socketPath, upstream: config.upstream }, "listening");
  for (const warning of [...unknownVariables(process.env), ...sidecarWarnings(config)]) log.warn(warning);
  // It has no certificate.
  return { close: sidecar.close, reloadCertificate: () => {} };
});
