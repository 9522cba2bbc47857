import { describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { readConfig } from "../../src/config/config.ts";
import { SECRET_FILES } from "../../src/config/secret-files.ts";
import { STOP_TIMEOUT_MS } from "../../src/process/process.ts";
import type { JsonObject } from "../harness/http.ts";
import { manifestsOf, podsOf, readText, readYaml } from "./files.ts";

// What a tool can validate, helm, kubeconform and kustomize validate in test/peers/kubernetes.test.ts. The manifests for
// kustomize are those that helm makes of the chart's defaults, which that test holds, too.

const KUSTOMIZE = "deploy/kustomize";
const manifests = manifestsOf(
  `${await readText(`${KUSTOMIZE}/base/latchkey.yaml`)}\n---\n${await readText(`${KUSTOMIZE}/migrate/migrate.yaml`)}`,
);
const pods = podsOf(manifests);
const values = await readYaml("deploy/helm/latchkey/values.yaml");
const compose = await readYaml("deploy/compose/compose.yaml");
const own = ["migrate", "latchkey-1", "latchkey-2"].map((name): JsonObject => compose.services[name]);
const containers = pods.flatMap((pod): JsonObject[] => pod.containers);
const [service] = containers;

function the(kind: string, name = "latchkey"): JsonObject {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

function variablesOf({ env = [] }: JsonObject): string[] {
  return env.map(({ name }: { name: string }) => name);
}

/** The names that the service reads, by reading each of them. */
function readVariables(): ReadonlySet<string> {
  const names = new Set<string>();
  readConfig(new Proxy({}, { get: (_env, name) => void names.add(String(name)) }));
  return names;
}

test("every variable that the chart, the manifests and compose set is one that the service reads", async () => {
  const example = await readYaml(`${KUSTOMIZE}/example/kustomization.yaml`);
  const patched = [...example.patches[0].patch.matchAll(/name: ([A-Z_]+)/g)].map(([, name = ""]) => name);
  const set = [
    ...containers.flatMap(variablesOf),
    ...own.flatMap(({ environment }) => Object.keys(environment)),
    ...Object.keys({ ...values.config, ...values.secrets }),
    ...patched,
  ];
  expect(patched).toHaveLength(3);
  const read = readVariables();
  for (const name of set) expect(read).toContain(name);
});

describe("every pod", () => {
  test("runs as a user who is not root, without privileges, on a root file system that is read-only", () => {
    expect(pods).toHaveLength(2);
    for (const { securityContext, containers, automountServiceAccountToken } of pods) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
      expect(securityContext.runAsUser).toBeGreaterThan(0);
      expect(automountServiceAccountToken).toBe(false);
      for (const container of containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
        expect(container.resources).toMatchObject({
          requests: { memory: expect.any(String) },
          limits: { memory: expect.any(String) },
        });
      }
    }
  });

  test("gets what is secret from a Secret, and the chart's values have no place for it", async () => {
    const secrets = [...SECRET_FILES.keys()];
    for (const { env } of containers) {
      for (const { name, value, valueFrom } of env) {
        if (!secrets.includes(name)) continue;
        expect(value).toBeUndefined();
        expect(valueFrom.secretKeyRef).toEqual({ name: expect.any(String), key: expect.any(String) });
      }
    }
    expect(manifests.map(({ kind }) => kind)).not.toContain("Secret");
    const { properties } = JSON.parse(await readText("deploy/helm/latchkey/values.schema.json"));
    expect(properties.config.propertyNames.allOf[1].not.enum).toEqual(expect.arrayContaining(secrets));
  });
});

test("a replica is asked on its public port whether it works, and by /readyz alone whether PostgreSQL does", () => {
  expect(service?.ports).toEqual([
    { name: "public", containerPort: 8080 },
    { name: "admin", containerPort: 9090 },
  ]);
  expect(service?.startupProbe.httpGet).toEqual({ path: "/healthz", port: "public" });
  expect(service?.livenessProbe.httpGet).toEqual({ path: "/healthz", port: "public" });
  expect(service?.readinessProbe.httpGet).toEqual({ path: "/readyz", port: "public" });
  const env = Object.fromEntries(service?.env.map(({ name, value }: JsonObject) => [name, value]));
  expect(env).toMatchObject({ PORT: "8080", ADMIN_PORT: "9090", HOST: "0.0.0.0" });
});

test("a replica is not killed before it would end by itself", () => {
  for (const seconds of [
    pods[0]?.terminationGracePeriodSeconds,
    ...own.slice(1).map((one) => Number.parseInt(one.stop_grace_period, 10)),
  ])
    expect(seconds * 1_000).toBeGreaterThan(STOP_TIMEOUT_MS);
});

test("the network policies admit the public to the public port, monitoring to the admin port, and no caller to the migration", () => {
  const { spec } = the("NetworkPolicy");
  expect(spec.ingress).toEqual([
    { ports: [{ protocol: "TCP", port: "public" }] },
    {
      ports: [{ protocol: "TCP", port: "admin" }],
      from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }],
    },
  ]);
  const ports = ({ egress }: JsonObject) =>
    egress.flatMap((rule: JsonObject) => rule.ports.map(({ port }: JsonObject) => port));
  expect(ports(spec)).toEqual([53, 53, 5432, 6379, 443]);
  const migration = the("NetworkPolicy", "latchkey-migrate").spec;
  expect(migration.policyTypes).toContain("Ingress");
  expect(migration.ingress).toBeUndefined();
  expect(ports(migration)).toEqual([53, 53, 5432]);
});

test("each Service, budget, policy and autoscaler selects the pods that there are", () => {
  const labels = {
    service: the("Deployment").spec.template.metadata.labels,
    migration: the("Job", "latchkey-migrate").spec.template.metadata.labels,
  };
  expect(labels.service).toMatchObject(the("Deployment").spec.selector.matchLabels);
  for (const name of ["latchkey", "latchkey-admin"]) {
    const { selector, ports } = the("Service", name).spec;
    expect(labels.service).toMatchObject(selector);
    expect(labels.migration).not.toMatchObject(selector);
    expect(service?.ports.map((port: JsonObject) => port.name)).toContain(ports[0].targetPort);
  }
  expect(labels.service).toMatchObject(the("PodDisruptionBudget").spec.selector.matchLabels);
  expect(labels.service).toMatchObject(the("NetworkPolicy").spec.podSelector.matchLabels);
  expect(labels.migration).toMatchObject(the("NetworkPolicy", "latchkey-migrate").spec.podSelector.matchLabels);
  expect(the("HorizontalPodAutoscaler").spec.scaleTargetRef).toMatchObject({ kind: "Deployment", name: "latchkey" });
});

test("the migration's command is one that a build makes", async () => {
  const [, migrate = ""] = /"?migrate: "(src\/[\w.]+)"/.exec(await readText("scripts/build.mjs")) ?? [];
  expect(await readText(migrate)).toContain("migrateToLatest");
  for (const command of [containers[1]?.command, own[0]?.command]) expect(command).toEqual(["node", "dist/migrate.js"]);
});

test("the chart, its manifests and the example have the version of the service", async () => {
  const chart = await readYaml("deploy/helm/latchkey/Chart.yaml");
  expect([chart.version, chart.appVersion]).toEqual([packageJson.version, packageJson.version]);
  for (const { image } of containers) expect(image).toBe(`latchkey:${packageJson.version}`);
  for (const path of ["example", "example/migrate"]) {
    const { images } = await readYaml(`${KUSTOMIZE}/${path}/kustomization.yaml`);
    expect(images).toMatchObject([{ name: "latchkey", newTag: packageJson.version }]);
  }
});

describe("in compose", () => {
  test("nginx alone is reachable from other machines, and no container may write its root or has privileges", () => {
    const { postgres, ...others } = compose.services;
    const published = ([name, { ports = [] }]: [string, JsonObject]) => ports.map((port: string) => `${name} ${port}`);
    expect(Object.entries<JsonObject>({ postgres, ...others }).flatMap(published)).toEqual([
      "latchkey-1 127.0.0.1:9091:9090",
      "latchkey-2 127.0.0.1:9092:9090",
      "nginx 443:8443",
    ]);
    for (const each of Object.values<JsonObject>(others)) {
      expect(each).toMatchObject({ read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] });
    }
  });

  test("every password is required from .env and has no default", async () => {
    const source = await readText("deploy/compose/compose.yaml");
    const example = await readText("deploy/compose/.env.example");
    const required = new Set([...source.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name));
    expect([...required].sort()).toEqual(["OPERATOR_TOKEN", "POSTGRES_PASSWORD", "REDIS_PASSWORD"]);
    const named = [...source.matchAll(/\$\{(\w+)/g)]
      .map(([, name = ""]) => name)
      .filter((name) => name !== "LATCHKEY_IMAGE");
    const listed = [...example.matchAll(/^(\w+)=$/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual([...new Set(named)].sort());
    expect(example).not.toMatch(/^\w+=.+$/m);
  });
});
