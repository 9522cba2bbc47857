import type { ProxyKind } from "./proxy.ts";

export const NGINX: ProxyKind = {
  command: "nginx",
  package: "nginx-light",
  example: "nginx/nginx.conf",
  args: (dir, file) => ["-p", dir, "-c", file, "-e", "stderr"],
};
export const CADDY: ProxyKind = {
  command: "caddy",
  package: "caddy",
  example: "caddy/Caddyfile",
  args: (_dir, file) => ["run", "--adapter", "caddyfile", "--config", file],
};
