import { canRun, ensureInstalled } from "../servers/debian.ts";
import type { ProxyKind } from "./proxy.ts";

export const NGINX: ProxyKind = {
  example: "nginx/nginx.conf",
  program: debian({
    command: "nginx",
    package: "nginx-light",
    versionFlag: "-v",
  }),
  args: (dir, file) => ["-p", dir, "-c", file, "-e", "stderr"],
};
export const CADDY: ProxyKind = {
  example: "caddy/Caddyfile",
  program: debian({
    command: "caddy",
    package: "caddy",
    versionFlag: "version",
  }),
  args: (_dir, file) => ["run", "--adapter", "caddyfile", "--config", file],
};

/** A program of one of Debian's packages, which is installed if need be. */
export function debian(of: { command: string; package: string; versionFlag: string }): () => Promise<string> {
  return async () => {
    await ensureInstalled({
      package: of.package,
      isInstalled: () => canRun(of.command, of.versionFlag),
      advice: `These tests need ${of.command}: install Debian's package ${of.package}, or the like.`,
    });
    return of.command;
  };
}
