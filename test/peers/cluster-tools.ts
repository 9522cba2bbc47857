import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../servers/free-port.ts";
import { needs, output } from "./callers.ts";
import { exists, goTool, PEERS_DIR } from "./go-tools.ts";
import { MODULES } from "./kubernetes-tools.ts";

/**
 * The Go modules that name what is built: `go install` of k8s.io/kubernetes alone fails, since its go.mod replaces each of its parts by a
 * folder that is not in the module.
 */
const MODULE = fileURLToPath(new URL("cluster", import.meta.url));
const CRDS_MODULE = join(MODULE, "crds");
const BIN = join(PEERS_DIR, "bin");
const CRDS = join(PEERS_DIR, "crds");
const MONITORING = "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1";
const PROGRAMS = {
  etcd: "go.etcd.io/etcd/server/v3",
  "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
  kubectl: "k8s.io/kubernetes/cmd/kubectl",
} as const;
const START_MS = 150_000;
const PAUSE_MS = 250;
const TOKEN = "operator-of-the-test";

/** An API server of Kubernetes on etcd. There is no controller, scheduler or node: what is accepted is kept, and nothing is done about it. */
export interface Cluster {
  readonly version: string;
  /** What kubectl prints on both streams; rejects with it. */
  kubectl(...args: string[]): Promise<string>;
  /** Writes manifests to a file and applies them strictly: an unknown or repeated member is an error. */
  apply(namespace: string, manifests: string, ...options: string[]): Promise<string>;
  helm(...args: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Builds all parts by Go, once. Throws one line where Go is missing. */
async function installCluster(): Promise<string> {
  await needs(
    "The tests of the chart in a cluster need Go 1.26 or later, which downloads and builds it.",
    "go",
    "version",
  );
  await mkdir(BIN, { recursive: true });
  const version = await versionOf("k8s.io/kubernetes", MODULE);
  const [major, minor] = version.slice(1).split(".");
  const named = { gitVersion: version, gitMajor: major, gitMinor: minor };
  const flags = Object.entries(named).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  for (const [name, path] of Object.entries(PROGRAMS)) {
    if (await exists(join(BIN, name))) continue;
    await output("go", ["build", "-trimpath", "-ldflags", ["-s -w", ...flags].join(" "), "-o", join(BIN, name), path], {
      cwd: MODULE,
    });
  }
  await goTool("helm", MODULES.helm);
  if (!(await exists(CRDS))) {
    const made = `output:crd:dir=${CRDS}`;
    await output("go", ["tool", "controller-gen", "crd:crdVersions=v1", `paths=${MONITORING}`, made], {
      cwd: CRDS_MODULE,
    });
  }
  return version;
}

async function versionOf(module: string, cwd: string): Promise<string> {
  return (await output("go", ["list", "-m", "-f", "{{.Version}}", module], { cwd })).trim();
}

/** Starts etcd and an API server, with the definitions of ServiceMonitor and PrometheusRule. */
export async function startCluster(): Promise<Cluster> {
  const version = await installCluster();
  const dir = await mkdtemp(join(tmpdir(), "latchkey-cluster-"));
  const processes: ChildProcess[] = [];
  const start = async (name: string, ...args: string[]) => {
    const log = await open(join(dir, `${name}.log`), "w");
    processes.push(spawn(join(BIN, name), args, { stdio: ["ignore", log.fd, log.fd] }));
    await log.close();
  };
  const stop = async () => {
    for (const child of processes.reverse()) {
      if (child.exitCode !== null || !child.kill("SIGKILL")) continue;
      await once(child, "exit");
    }
    await rm(dir, { recursive: true, force: true });
  };
  try {
    const [clients, peers, port] = [await freePort(), await freePort(), await freePort()];
    const etcd = `http://127.0.0.1:${clients}`;
    await start(
      "etcd",
      ...["--data-dir", join(dir, "etcd"), "--unsafe-no-fsync"],
      ...["--listen-client-urls", etcd, "--advertise-client-urls", etcd],
      ...["--listen-peer-urls", `http://127.0.0.1:${peers}`],
    );
    const key = join(dir, "accounts.key");
    await output("openssl", ["genrsa", "-out", key, "2048"]);
    await writeFile(join(dir, "tokens.csv"), `${TOKEN},admin,admin,system:masters\n`);
    const certificates = join(dir, "certificates");
    await start(
      "kube-apiserver",
      ...["--etcd-servers", etcd, "--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1"],
      ...["--secure-port", String(port), "--cert-dir", certificates, "--token-auth-file", join(dir, "tokens.csv")],
      ...["--service-account-key-file", key, "--service-account-signing-key-file", key],
      ...["--service-account-issuer", "https://kubernetes.default.svc", "--service-cluster-ip-range", "10.0.0.0/16"],
      ...["--authorization-mode", "RBAC", "--endpoint-reconciler-type", "none"],
    );
    const config = join(dir, "kubeconfig");
    await writeFile(config, kubeconfig(port, join(certificates, "apiserver.crt")));
    const env = { KUBECONFIG: config, HELM_CACHE_HOME: dir, HELM_CONFIG_HOME: dir, HELM_DATA_HOME: dir, HOME: dir };
    const cluster: Cluster = {
      version,
      kubectl: (...args) => output(join(BIN, "kubectl"), args, { env }),
      async apply(namespace, manifests, ...options) {
        const file = join(dir, `${namespace}.yaml`);
        await writeFile(file, manifests);
        return cluster.kubectl("apply", "--server-side", "--validate=strict", "-n", namespace, "-f", file, ...options);
      },
      helm: (...args) => output(join(BIN, "helm"), args, { env }),
      stop,
    };
    await ready(cluster, join(dir, "kube-apiserver.log"));
    for (const name of await readdir(CRDS))
      if (/_(?:servicemonitors|prometheusrules)\.yaml$/.test(name))
        await cluster.kubectl("create", "-f", join(CRDS, name));
    return cluster;
  } catch (err) {
    await stop();
    throw err;
  }
}

async function ready(cluster: Cluster, log: string): Promise<void> {
  const until = performance.now() + START_MS;
  for (;;) {
    try {
      await cluster.kubectl("get", "--raw", "/readyz");
      return;
    } catch (err) {
      if (performance.now() < until) await sleep(PAUSE_MS);
      else
        throw new Error(`the API server is not ready:\n${(await readFile(log, "utf8")).slice(-4_000)}`, { cause: err });
    }
  }
}

function kubeconfig(port: number, authority: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server: `https://127.0.0.1:${port}`, "certificate-authority": authority } }],
    users: [{ name: "test", user: { token: TOKEN } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    "current-context": "test",
  });
}
