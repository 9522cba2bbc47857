import { Gauge, type Registry } from "prom-client";
import packageJson from "../../../package.json" with { type: "json" };

/** What runs here. A join with it shows the version beside any other metric. */
export function reportBuild(metrics: Registry): void {
  const info = new Gauge({
    name: "latchkey_build_info",
    help: "1, with the versions of the service and of Node.",
    labelNames: ["version", "node"],
    registers: [metrics],
  });
  info.set({ version: packageJson.version, node: process.versions.node }, 1);
}
