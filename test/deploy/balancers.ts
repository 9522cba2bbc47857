import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeCertificate } from "../harness/test-certificate.ts";
import { debian, NGINX } from "../proxies/kinds.ts";
import type { ProxyKind } from "../proxies/proxy.ts";
import { readText } from "./files.ts";

/** The ports of a test: a load balancer's, and those of the replicas behind it. */
export interface BalancerPorts {
  readonly balancer: number;
  readonly replicas: readonly [number, number];
}

export interface Balancer {
  readonly kind: ProxyKind;
  /** Its configuration in `deploy`, with the addresses and the certificate of a test. */
  configure(
    folder: string,
    ports: BalancerPorts,
    certificate: { key: string; cert: string },
    /** More lines at its end. */
    more?: string,
  ): Promise<string>;
}

/** `resolve` is left out: Debian's nginx is from before it. */
const nginx: Balancer = {
  kind: NGINX,
  async configure(folder, ports, certificate) {
    const { certFile, keyFile } = await writeCertificate(folder, certificate);
    const source = await readText("deploy/compose/nginx.conf");
    return source
      .replaceAll(" /tmp/", ` ${folder}/`)
      .replaceAll(/latchkey-([12]):8080 resolve/g, (_, n) => replicaAt(ports, n))
      .replace("listen 8443", `listen 127.0.0.1:${ports.balancer}`)
      .replace("/etc/nginx/certs/tls.crt", certFile)
      .replace("/etc/nginx/certs/tls.key", keyFile);
  },
};

const haproxy: Balancer = {
  kind: {
    example: "haproxy.cfg",
    program: debian({
      command: "haproxy",
      package: "haproxy",
      versionFlag: "-v",
    }),
    // In the foreground, in one process, which SIGTERM ends.
    args: (_dir, file) => ["-db", "-f", file],
  },
  async configure(folder, ports, certificate, more = "") {
    const { certFile, keyFile } = await writeCertificate(folder, certificate);
    const pem = join(folder, "tls.pem");
    await writeFile(pem, (await readFile(certFile, "utf8")) + (await readFile(keyFile, "utf8")));
    const source = await readText("deploy/haproxy/haproxy.cfg");
    return `${source}\n${more}`
      .replaceAll(/latchkey-([12]):8080/g, (_, n) => replicaAt(ports, n))
      .replace("bind :8443", `bind 127.0.0.1:${ports.balancer}`)
      .replaceAll("/etc/haproxy/certs/tls.pem", pem);
  },
};

export const BALANCERS = { nginx, HAProxy: haproxy };

function replicaAt({ replicas }: BalancerPorts, n: string): string {
  return `127.0.0.1:${replicas[Number(n) - 1]}`;
}
