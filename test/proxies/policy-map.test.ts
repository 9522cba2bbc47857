import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { NGINX } from "./kinds.ts";
import { describePolicies, type Ports } from "./policy-map.suite.ts";
import { runProxy, withPorts } from "./proxy.ts";

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** nginx' example, changed as the guide says. */
async function configuration({ latchkey, upstream, port }: Ports): Promise<string> {
  const guide = await readFile(file("docs/guides/guard-connect.md"), "utf8");
  const [include = "", location = "", check = "", denied = ""] = [...guide.matchAll(/```nginx\n([\s\S]*?)```/g)].map(
    ([, text]) => text,
  );
  const changed = (await readFile(file("examples/nginx/nginx.conf"), "utf8"))
    .replace(/ {2}map \$request_method \$plans_scope \{[^}]*\}\n/, include)
    .replace(/ {4}location \/plans\/ \{\n.*\n/, location)
    .replace(/ {4}location = \/_latchkey \{\n.*\n.*\n/, check)
    .replace(/ {4}location @denied \{\n.*\n.*\n/, denied);
  return withPorts(changed.replace("gen/latchkey.nginx.conf", file("examples/plans/gen/latchkey.nginx.conf")), {
    8080: Number(new URL(latchkey).port),
    9000: upstream,
    8000: port,
  });
}

describePolicies("nginx", (ports) => runProxy(NGINX, ports.port, () => configuration(ports)));
