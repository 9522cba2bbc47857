import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { type ConditionLog, createConditionLog } from "../observability/log/condition-log.ts";
import { createMetrics } from "../observability/metrics/registry.ts";
import type { Tracing } from "../observability/tracing/tracing.ts";
import type { Setup } from "./setup.ts";

/** What the parts report to. */
export interface Watch {
  readonly log: Logger;
  readonly metrics: Registry;
  /** The log for what may happen with every request. */
  readonly conditions: ConditionLog;
  /** Undefined: no collector is configured. */
  readonly tracing: Tracing | undefined;
}

export async function openWatch(setup: Setup): Promise<Watch> {
  const { life, options } = setup;
  const { log } = options;
  const metrics = createMetrics();
  await openMetricsExport(setup, metrics);
  const conditions = createConditionLog(log);
  life.onIdle(conditions.close);
  const tracing = await openTracing(setup);
  return { log, metrics, conditions, tracing };
}

/**
 * Loads OpenTelemetry only if a collector is configured. Opened before all that counts, and so closed after it: the collector
 * gets what was lost, too.
 */
async function openMetricsExport({ config, options, secrets, life }: Setup, metrics: Registry): Promise<void> {
  if (config.otlpMetrics === null) return;
  const { startMetricsExport } = await import("../observability/otlp/metrics-export.ts");
  const headers = () => secrets.now.otlpMetrics?.headers;
  const sent = startMetricsExport(config.otlpMetrics, { metrics, log: options.log, headers });
  life.onClose(sent.close);
}

/** Loads OpenTelemetry only if a collector is configured. */
async function openTracing({ config, options, secrets, life }: Setup): Promise<Tracing | undefined> {
  if (config.tracing === null) return undefined;
  const { startTracing } = await import("../observability/tracing/tracing.ts");
  const tracing = startTracing(config.tracing, options.log, () => secrets.now.tracing?.headers);
  life.onIdle(tracing.close);
  return tracing;
}
