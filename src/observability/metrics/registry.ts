import { collectDefaultMetrics, Registry } from "prom-client";
import { reportBuild } from "./build-info.ts";

/** The one set of metrics of a process, which begins with those of Node and of the build. */
export function createMetrics(): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  reportBuild(metrics);
  return metrics;
}
