import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import type { Logger } from "pino";

/** The part of an exporter that spans and metrics have in common. */
interface Exporter<Exported> {
  export(exported: Exported, done: (result: ExportResult) => void): void;
}

/** Has an exporter log once when the collector becomes unavailable, and once when it is available again. */
export function logExportChanges<Exported>(what: "spans" | "metrics", exporter: Exporter<Exported>, log: Logger): void {
  const send = exporter.export.bind(exporter);
  let isAway = false;
  exporter.export = (exported, done) => {
    send(exported, (result) => {
      const fails = result.code !== ExportResultCode.SUCCESS;
      if (fails && !isAway) log.warn({ err: result.error }, `${what} cannot be exported, and are dropped`);
      if (!fails && isAway) log.info(`${what} are exported again`);
      isAway = fails;
      done(result);
    });
  };
}
