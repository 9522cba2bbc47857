import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { SECRET_FILES } from "../../src/config/secret-files.ts";
import { manifestsOf, podsOf, readYaml } from "../deploy/files.ts";
import type { JsonObject } from "../harness/http.ts";
import { VARIANTS } from "./chart-variants.ts";
import { installKubernetesTools, KUBERNETES, type Kubernetes } from "./kubernetes-tools.ts";

// What Kubernetes of several versions accepts, by its schemas. test/peers/cluster.test.ts has an API server of the newest one. The schemas of
// the Prometheus operator's ServiceMonitor and PrometheusRule are not among them: their members are compared below.

const CHART = "deploy/helm/latchkey";
let kubernetes: Kubernetes;
beforeAll(async () => {
  kubernetes = await installKubernetesTools();
}, 900_000);

function template(...values: readonly string[]): Promise<string> {
  const set = values.flatMap((value) => ["--set", value]);
  return kubernetes.runHelm("template", "latchkey", CHART, "--kube-version", "1.33.0", ...set);
}

async function render(...values: readonly string[]): Promise<JsonObject[]> {
  return manifestsOf(await template(...values));
}

function variablesOf(pod: JsonObject | undefined): Record<string, unknown> {
  const env: JsonObject[] = pod?.containers[0].env ?? [];
  return Object.fromEntries(env.map(({ name, value, valueFrom }) => [name, value ?? valueFrom.secretKeyRef]));
}

describe.each(Object.entries(VARIANTS))("the chart, %s,", (_, values) => {
  test.each(KUBERNETES)("renders to manifests that Kubernetes %s accepts", async (version) => {
    const manifests = await template(...values);
    expect(manifestsOf(manifests).length).toBeGreaterThan(4);
    expect(await kubernetes.problems(manifests, version)).toEqual([]);
  });
});

test("a manifest with a member that Kubernetes does not have is noticed", async () => {
  const misspelt = (await template()).replace("readinessProbe", "readynessProbe");
  expect(await kubernetes.problems(misspelt, "1.33.0")).toEqual([
    expect.stringMatching(/^Deployment latchkey: .*readynessProbe/),
  ]);
});

test("helm's lint finds nothing", async () => {
  expect(await kubernetes.runHelm("lint", "--strict", CHART)).toContain("0 chart(s) failed");
});

test("the manifests for kustomize are those of the chart, and Kubernetes accepts them and the example", async () => {
  const dir = await mkdtemp(join(tmpdir(), "latchkey-manifests-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await promisify(execFile)(process.execPath, ["scripts/render-manifests.mjs", dir, kubernetes.helm]);
  for (const name of ["base/latchkey.yaml", "migrate/migrate.yaml"]) {
    const committed = await readFile(join("deploy/kustomize", name), "utf8");
    expect(committed, "run node scripts/render-manifests.mjs").toBe(await readFile(join(dir, name), "utf8"));
  }
  for (const folder of ["base", "migrate", "example", "example/migrate"]) {
    const built = await kubernetes.build(`deploy/kustomize/${folder}`);
    for (const version of KUBERNETES) expect(await kubernetes.problems(built, version), folder).toEqual([]);
  }
  const [service] = podsOf(manifestsOf(await kubernetes.build("deploy/kustomize/example")));
  expect(service?.containers[0].image).toMatch(/^registry\.example\.com\/latchkey:/);
  expect(variablesOf(service)).toMatchObject({
    OIDC_ISSUER: "https://id.example.com",
    OPERATOR_TOKEN: { name: "latchkey" },
  });
  const [migration] = podsOf(manifestsOf(await kubernetes.build("deploy/kustomize/example/migrate")));
  expect(variablesOf(migration)).toEqual({ DATABASE_URL: { name: "latchkey-owner", key: "DATABASE_URL" } });
});

test.each([
  ["a secret among the plain variables", "config.OPERATOR_TOKEN=x", /OPERATOR_TOKEN/],
  ["a variable that the chart sets itself", "config.PORT=1", /PORT/],
  ["a value that is misspelt", "autoscalling.enabled=false", /autoscalling/],
  ["a secret that names no key", "secrets.OPERATOR_TOKEN.name=latchkey", /key/],
  ["a digest that is none", "image.digest=latest", /digest/],
  ["more replicas at least than at most", "autoscaling.minReplicas=5", /minReplicas \(5\) is greater than/],
  ["no database", "secrets.DATABASE_URL=null", /DATABASE_URL/],
  ["two databases", "config.DATABASE_URL_FILE=/etc/secrets/database", /oneOf/],
])("%s is rejected by name", async (_, value, named) => {
  await expect(template(value)).rejects.toThrow(named);
});

test("no variable that may be read from a file, because it is a secret, is accepted as plain text", async () => {
  for (const name of SECRET_FILES.keys()) await expect(template(`config.${name}=x`), name).rejects.toThrow(name);
});

test("with its secrets in files, the replicas and the migration read the same file", async () => {
  const pods = podsOf(await render(...(VARIANTS["with its secrets in files"] ?? [])));
  expect(pods).toHaveLength(2);
  for (const pod of pods) {
    expect(variablesOf(pod).DATABASE_URL_FILE).toBe("/etc/secrets/database");
    expect(variablesOf(pod).DATABASE_URL).toBeUndefined();
    expect(pod.containers[0].volumeMounts).toEqual([{ name: "secrets", mountPath: "/etc/secrets" }]);
  }
});

test("the values replace and remove members of the security contexts, and keep the others", async () => {
  const pods = podsOf(
    await render("podSecurityContext.runAsUser=null", "podSecurityContext.fsGroup=7", "containerSecurityContext.a=b"),
  );
  for (const { securityContext, containers } of pods) {
    expect(securityContext).toEqual({
      fsGroup: 7,
      runAsGroup: 1000,
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(containers[0].securityContext).toMatchObject({ a: "b", readOnlyRootFilesystem: true });
  }
});

test("a deploy's old pods count for nothing when the new ones are spread", async () => {
  const [service] = podsOf(await render());
  const constraints: JsonObject[] = service?.topologySpreadConstraints ?? [];
  expect(constraints.map(({ matchLabelKeys }) => matchLabelKeys)).toEqual([
    ["pod-template-hash"],
    ["pod-template-hash"],
  ]);
});

test("the migration runs before the replicas, with the owner's URL, and by default with the service's and its password", async () => {
  const migrationOf = async (...values: string[]) => {
    const manifests = await render(...values);
    return { job: manifests.find(({ kind }) => kind === "Job"), pod: podsOf(manifests).at(-1) };
  };
  const own = await migrationOf("migration.databaseUrl.name=owner", "migration.databaseUrl.key=url");
  expect(own.job?.metadata.annotations).toMatchObject({ "helm.sh/hook": "pre-install,pre-upgrade" });
  expect(variablesOf(own.pod)).toEqual({ DATABASE_URL: { name: "owner", key: "url" } });
  const shared = await migrationOf("secrets.PGPASSWORD.name=db", "secrets.PGPASSWORD.key=password");
  expect(variablesOf(shared.pod)).toEqual({
    DATABASE_URL: { name: "latchkey", key: "DATABASE_URL" },
    PGPASSWORD: { name: "db", key: "password" },
  });
});

test("with TLS the probes use it, and the certificate comes from its Secret", async () => {
  const [pod] = podsOf(await render("tls.secretName=latchkey-tls"));
  const container = pod?.containers[0];
  for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"])
    expect(container[probe].httpGet.scheme).toBe("HTTPS");
  expect(variablesOf(pod)).toMatchObject({
    TLS_CERT_FILE: "/etc/latchkey/tls/tls.crt",
    TLS_KEY_FILE: "/etc/latchkey/tls/tls.key",
  });
  expect(pod?.volumes).toEqual([{ name: "tls", secret: { secretName: "latchkey-tls", defaultMode: 0o440 } }]);
});

test("a ServiceMonitor selects the admin Service, and asks it for /metrics", async () => {
  const manifests = await render("serviceMonitor.enabled=true");
  const { apiVersion, spec } = manifests.find(({ kind }) => kind === "ServiceMonitor") ?? {};
  expect(apiVersion).toBe("monitoring.coreos.com/v1");
  const selected = manifests.filter(
    ({ kind, metadata }) =>
      kind === "Service" &&
      Object.entries(spec.selector.matchLabels).every(([name, value]) => metadata.labels[name] === value),
  );
  expect(selected.map(({ metadata }) => metadata.name)).toEqual(["latchkey-admin"]);
  const endpoint = { port: selected[0]?.spec.ports[0].name, path: "/metrics", interval: "15s" };
  expect(spec.endpoints).toEqual([endpoint]);
  const tls = [
    ...["serviceMonitor.enabled=true", "tls.secretName=latchkey-tls"],
    "serviceMonitor.tlsConfig.serverName=latchkey.example.com",
  ];
  const monitor = (await render(...tls)).find(({ kind }) => kind === "ServiceMonitor");
  const tlsConfig = { serverName: "latchkey.example.com" };
  expect(monitor?.spec.endpoints).toEqual([{ ...endpoint, scheme: "https", tlsConfig }]);
});

test("a PrometheusRule has the groups of deploy/prometheus, word for word", async () => {
  const manifests = await render("prometheusRule.enabled=true", "prometheusRule.labels.release=prometheus");
  const rule = manifests.find(({ kind }) => kind === "PrometheusRule");
  expect(rule?.apiVersion).toBe("monitoring.coreos.com/v1");
  expect(rule?.metadata.labels.release).toBe("prometheus");
  const groups = await Promise.all(["alerts", "slo"].map((name) => readYaml(`deploy/prometheus/${name}.yaml`)));
  expect(rule?.spec.groups).toEqual(groups.flatMap((file) => file.groups));
});
