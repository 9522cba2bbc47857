// promise: check.proxies
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describeClientAddress } from "../proxies/client-address.suite.ts";
import { describeFencedKeys } from "../proxies/fenced-keys.suite.ts";
import { describePolicies, type Ports } from "../proxies/policy-map.suite.ts";
import { describeProxy, type Traits } from "../proxies/proxy.suite.ts";
import { type ProxyKind, runProxy, withPorts } from "../proxies/proxy.ts";
import { describeTraffic } from "../proxies/traffic.suite.ts";
import { ENVOY_GRPC, ENVOY_HTTP } from "./proxy-kinds.ts";

const TRAITS: Traits = { namedInConnection: "removed", addsLimits: true, away: { status: 503 } };

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** An example, changed as the guide says. */
async function withRoutes({ example }: ProxyKind, routes: string, { latchkey, upstream, port }: Ports) {
  const guide = await readFile(file("docs/guides/guard-connect.md"), "utf8");
  const [, rds = ""] = /```yaml\n(rds:[\s\S]*?)\n```/.exec(guide) ?? [];
  const text = await readFile(file(`examples/${example}`), "utf8");
  const routed = rds.replace("gen/latchkey.envoy.json", file(`examples/plans/gen/${routes}`));
  const changed = text.replace(/^( +)route_config:\n(?:\1 +.*\n)+/m, (_, indent: string) => {
    return `${routed.replaceAll(/^/gm, indent)}\n`;
  });
  return withPorts(changed, { 8080: Number(new URL(latchkey).port), 9000: upstream, 8000: port });
}

for (const [name, kind, routes] of [
  ["Envoy, ext_authz over HTTP", ENVOY_HTTP, "latchkey.envoy.json"],
  ["Envoy, ext_authz over gRPC", ENVOY_GRPC, "latchkey.envoy-grpc.json"],
] as const) {
  describeProxy(name, kind, TRAITS);
  describeFencedKeys(name, kind);
  describeClientAddress(name, kind, "203.0.113.7");
  describeTraffic(name, kind);
  describePolicies(name, (ports) => runProxy(kind, ports.port, () => withRoutes(kind, routes, ports)));
}
