import type { TracingConfig } from "../../src/config/settings.ts";

/** A configuration under which every span is on its way after a moment. */
export function tracingTo(url: string, queue: Partial<TracingConfig["queue"]> = {}): TracingConfig {
  return {
    url,
    followsParent: true,
    sampledShare: 1,
    queue: {
      maxQueueSize: 2_048,
      maxExportBatchSize: 512,
      scheduledDelayMillis: 20,
      exportTimeoutMillis: 30_000,
      ...queue,
    },
  };
}
