// promise: operation.kubernetes
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { manifestsOf } from "../deploy/files.ts";
import type { JsonObject } from "../harness/http.ts";
import { startKeyHost } from "../harness/key-host.ts";
import { blocksOf } from "./callers.ts";
import { VARIANTS } from "./chart-variants.ts";
import { type Cluster, startCluster } from "./cluster-tools.ts";
import { describeIssuer } from "./issuers/issuer.suite.ts";

// An API server of Kubernetes takes what the chart renders, in namespaces that enforce the restricted standard of pods. No controller runs:
// Jobs are ended here, and no pod starts.

const CHART = "deploy/helm/latchkey";
const MONITORING = ["serviceMonitor.enabled=true", "prometheusRule.enabled=true"];
/** How a Job ends. */
const COMPLETE = [
  { type: "SuccessCriteriaMet", status: "True" },
  { type: "Complete", status: "True" },
];
const FAILED = [
  { type: "FailureTarget", status: "True" },
  { type: "Failed", status: "True" },
];
const NOW = "2026-01-31T12:00:00Z";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
}, 1_800_000);
afterAll(() => cluster?.stop());

let namespaces = 0;
async function newNamespace(): Promise<string> {
  namespaces += 1;
  const name = `latchkey-${namespaces}`;
  await cluster.kubectl("create", "namespace", name);
  const standard = ["enforce", "warn"].map((mode) => `pod-security.kubernetes.io/${mode}=restricted`);
  await cluster.kubectl("label", "namespace", name, ...standard);
  // What a controller makes in each namespace.
  await cluster.kubectl("create", "serviceaccount", "default", "-n", name);
  return name;
}

const setting = (values: readonly string[]) => values.flatMap((value) => ["--set", value]);

async function render(namespace: string, ...values: readonly string[]): Promise<string> {
  const version = ["--kube-version", cluster.version];
  const printed = await cluster.helm("template", "latchkey", CHART, "-n", namespace, ...version, ...setting(values));
  return printed.replace(/^walk\.go:.*\n/gm, "");
}

/** Each manifest was applied, and nothing else was said. */
function expectApplied(printed: string, manifests: readonly JsonObject[], note = ""): void {
  const lines = printed.trim().split("\n");
  expect(lines.filter((line) => !line.endsWith(` serverside-applied${note}`))).toEqual([]);
  expect(lines).toHaveLength(manifests.length);
}

test.each([
  ...Object.entries(VARIANTS),
  ["with a ServiceMonitor and a PrometheusRule", MONITORING] as const,
  ["with TLS", ["tls.secretName=latchkey-tls", ...MONITORING]] as const,
])("the API server accepts the chart %s, by a dry run and for good, and warns of nothing", async (_, values) => {
  const namespace = await newNamespace();
  const text = await render(namespace, ...values);
  const manifests = manifestsOf(text);
  expect(manifests.length).toBeGreaterThan(4);
  expectApplied(await cluster.apply(namespace, text, "--dry-run=server"), manifests, " (server dry run)");
  expectApplied(await cluster.apply(namespace, text), manifests);
});

test("each of these is noticed: an unknown member, a value out of range, a pod with more rights than it needs", async () => {
  const namespace = await newNamespace();
  const text = await render(namespace, "serviceMonitor.enabled=true");
  const apply = (from: string | RegExp, to: string) =>
    cluster.apply(namespace, text.replace(from, to), "--dry-run=server");
  await expect(apply("readinessProbe", "readynessProbe")).rejects.toThrow(/readynessProbe: field not declared/);
  await expect(apply("interval: 15s", "intervall: 15s")).rejects.toThrow(/intervall: field not declared/);
  await expect(apply(/minReplicas: \d+/, "minReplicas: -1")).rejects.toThrow(/minReplicas: Invalid value/);
  expect(await apply("allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true")).toMatch(
    /Warning: would violate PodSecurity "restricted/,
  );
});

test("the pods of the Deployment and of the Job are admitted where the restricted standard of pods is enforced", async () => {
  const namespace = await newNamespace();
  const text = await render(
    namespace,
    ...(VARIANTS["with everything"] ?? []).filter((value) => !value.includes("runAsUser")),
  );
  await cluster.apply(namespace, text);
  const workloads = manifestsOf(text).filter(({ kind }) => ["Deployment", "Job"].includes(kind));
  const pods = workloads.map(({ kind, spec }) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...spec.template.metadata, name: kind.toLowerCase() },
    spec: spec.template.spec,
  }));
  expect(pods).toHaveLength(2);
  expectApplied(await cluster.apply(namespace, pods.map((pod) => stringify(pod)).join("---\n")), pods);
});

describe("helm", () => {
  /** Waits for the migration's Job, returns the Deployments that are there, and ends it. */
  async function endJob(namespace: string, conditions: readonly JsonObject[]): Promise<string> {
    const names = (kind: string) => cluster.kubectl("get", kind, "-n", namespace, "-o", "name", "--ignore-not-found");
    while (!(await names("jobs")).includes("latchkey-migrate")) await sleep(100);
    const deployments = await names("deployments");
    const status = {
      startTime: NOW,
      ...(conditions === COMPLETE && { completionTime: NOW, succeeded: 1 }),
      ...(conditions === FAILED && { failed: 1 }),
      uncountedTerminatedPods: {},
      conditions: conditions.map((one) => ({ ...one, lastTransitionTime: NOW, reason: "Test", message: "ended" })),
    };
    const patch = ["--subresource=status", "--type=merge", "-p", JSON.stringify({ status })];
    await cluster.kubectl("patch", "job", "latchkey-migrate", "-n", namespace, ...patch);
    return deployments;
  }

  const deploy = (namespace: string, ...values: string[]) =>
    cluster.helm("upgrade", "--install", "latchkey", CHART, "-n", namespace, "--timeout", "2m", ...setting(values));

  test("installs after the migration, upgrades, rolls back, and uninstalls all of it", async () => {
    const namespace = await newNamespace();
    const installing = deploy(namespace, ...MONITORING);
    expect(await endJob(namespace, COMPLETE), "the Deployment before the migration ended").toBe("");
    expect(await installing).toMatch(/STATUS: deployed/);
    for (const name of ["with everything", "without what can be turned off"]) {
      const values = VARIANTS[name] ?? [];
      const upgrading = deploy(namespace, ...values);
      if (!values.includes("migration.enabled=false")) await endJob(namespace, COMPLETE);
      expect(await upgrading, name).toMatch(/STATUS: deployed/);
    }
    // The schema stays: a rollback runs no migration.
    expect(await cluster.helm("rollback", "latchkey", "1", "-n", namespace)).toContain("Rollback was a success");
    await cluster.helm("uninstall", "latchkey", "-n", namespace);
    const kinds = "deployments,services,hpa,pdb,networkpolicies,servicemonitors,prometheusrules,serviceaccounts";
    const left = await cluster.kubectl("get", kinds, "-n", namespace, "-o", "name");
    // The namespace's own.
    expect(left.trim()).toBe("serviceaccount/default");
  }, 170_000);

  test("makes no Deployment if the migration fails", async () => {
    const namespace = await newNamespace();
    const installing = deploy(namespace);
    const failing = expect(installing).rejects.toThrow(/pre-install/);
    await endJob(namespace, FAILED);
    await failing;
    expect(await cluster.kubectl("get", "deployments", "-n", namespace, "-o", "name")).not.toContain("latchkey");
  });
});

test("the manifests for kustomize are accepted strictly", async () => {
  for (const folder of ["base", "migrate", "example", "example/migrate"]) {
    const namespace = await newNamespace();
    const built = await cluster.kubectl("kustomize", `deploy/kustomize/${folder}`);
    const text = built.replace(/^(\s+namespace): latchkey$/gm, `$1: ${namespace}`);
    expectApplied(await cluster.apply(namespace, text), manifestsOf(text));
  }
});

test("the Ingress of the guide is accepted strictly", async () => {
  const blocks = blocksOf(await readFile("docs/guides/deploy.md", "utf8"), "yaml").filter((block) =>
    /^kind: /m.test(block),
  );
  expect(blocks).toHaveLength(1);
  const namespace = await newNamespace();
  const text = blocks.join("---\n").replace("namespace: latchkey", `namespace: ${namespace}`);
  expectApplied(await cluster.apply(namespace, text), manifestsOf(text));
});

describeIssuer("the API server, whose service accounts get their tokens from it,", async () => {
  const namespace = await newNamespace();
  const account = ["deployer", "-n", namespace];
  await cluster.kubectl("create", "serviceaccount", ...account);
  const uid = await cluster.kubectl("get", "serviceaccount", ...account, "-o", "jsonpath={.metadata.uid}");
  const jwks = JSON.parse(await cluster.kubectl("get", "--raw", "/openid/v1/jwks"));
  const { issuer } = JSON.parse(await cluster.kubectl("get", "--raw", "/.well-known/openid-configuration"));
  // The API server's own address is not one that others reach.
  const host = await startKeyHost();
  const { url: jwksUrl } = host.document(...jwks.keys);
  const page = await readFile("docs/guides/workload-identity.md", "utf8");
  const [recipe = ""] = blocksOf(page.slice(page.indexOf("### Kubernetes")), "json");
  const sub = `system:serviceaccount:${namespace}:deployer`;
  const own = { sub, "kubernetes.io.serviceaccount.uid": uid };
  const { claim_rules: claimRules, ...rule } = JSON.parse(recipe);
  const equal = (claim: keyof typeof own) => ({ claim, equals: own[claim] });
  return {
    issuer: {
      url: new URL(jwksUrl).origin,
      tokenFor: async (audience) =>
        (await cluster.kubectl("create", "token", ...account, "--audience", audience, "--duration", "10m")).trim(),
      stop: () => host.close(),
    },
    guide: {
      env: { OIDC_ISSUER: issuer, OIDC_JWKS_URL: jwksUrl, OIDC_AUDIENCE: "console" },
      key: {
        ...{ name: "web app", keyType: "KEY_TYPE_PUBLISHABLE", permissions: ["conversations:*"] },
        publishableConfig: { oidc: { issuer, jwksUrl, audience: "web-app" } },
      },
      rule: {
        ...rule,
        issuer,
        jwks,
        claim_rules: claimRules.map((one: { claim: keyof typeof own }) => equal(one.claim)),
      },
    },
  };
});
