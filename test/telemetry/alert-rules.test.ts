import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { AUTH_CHECK } from "../../src/transport/endpoints/auth-check.ts";
import { ENVOY_CHECK } from "../../src/transport/endpoints/envoy-check.ts";
import { type BusyService, startBusyService } from "../harness/busy-service.ts";
import { EDGE_TOKEN } from "../harness/edge-token.ts";
import { readPromql, type Selector } from "../harness/promql.ts";
import { RPCS } from "../harness/rpcs.ts";
import { type Sample, scrape } from "../harness/scrape.ts";
import { openSidecar, type RunningSidecar } from "../harness/sidecars.ts";
import { makeCertificate, trust, writeCertificate } from "../harness/test-certificate.ts";

const ROOT = new URL("../../", import.meta.url);
const RUNBOOKS = new URL("docs/runbooks/", ROOT);
/** Of Prometheus itself and its blackbox exporter, and the labels that it gives to each target. */
const OF_PROMETHEUS = new Set(["up", "ALERTS", "probe_success"]);
const OF_TARGETS = ["job", "instance"];

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[];
}

const text = (path: string): Promise<string> => readFile(new URL(path, ROOT), "utf8");

async function rulesIn(path: string): Promise<Rule[]> {
  const { groups }: { groups: readonly { rules: readonly Rule[] }[] } = parse(await text(path));
  return groups.flatMap(({ rules }) => rules);
}

const rules = [...(await rulesIn("deploy/prometheus/alerts.yaml")), ...(await rulesIn("deploy/prometheus/slo.yaml"))];
const alerts = rules.filter((rule) => rule.alert !== undefined);
const recorded = new Set(rules.flatMap(({ record }) => record ?? []));
const dashboard = JSON.parse(await text("deploy/grafana/latchkey.json"));
const panels: readonly Panel[] = dashboard.panels;
const expressions: readonly (readonly [string, string])[] = [
  ...rules.map(({ alert, record, expr }) => [`rule ${alert ?? record}`, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [`panel ${title}`, expr] as const)),
];

let dir: string;
let busy: BusyService;
let edge: RunningSidecar;
let samples: readonly Sample[];

beforeAll(async () => {
  // With TLS: when the certificate ends is a metric, too.
  const certificate = makeCertificate();
  trust(certificate);
  dir = await mkdtemp(join(tmpdir(), "latchkey-rules-"));
  busy = await startBusyService({ tls: await writeCertificate(dir, certificate), edgeTokens: [EDGE_TOKEN] });
  edge = await openSidecar(busy.latchkey.url);
  samples = [...(await scrape(busy.latchkey.url)), ...(await scrape(edge.sidecar.port?.url ?? ""))];
});
afterAll(async () => {
  await edge.sidecar.close();
  await busy.close();
  await rm(dir, { recursive: true });
});

/** Why a selector would select nothing of a running service. */
function problemsOf({ name, matchers }: Selector): string[] {
  if (OF_PROMETHEUS.has(name) || recorded.has(name)) return [];
  const found = samples.filter((sample) => sample.name === name);
  if (found.length === 0) return [`${name} does not exist`];
  return matchers
    .filter(({ label }) => !OF_TARGETS.includes(label))
    .flatMap(({ label, operator, value }) => {
      if (!found.some(({ labels }) => label in labels)) return [`${name} has no label ${label}`];
      const isThere = operator !== "=" || found.some(({ labels }) => labels[label] === value);
      return isThere ? [] : [`${name} has no ${label}="${value}"`];
    });
}

describe("every rule and every panel", () => {
  test.each(expressions)("%s reads metrics, labels and values that a running service has", (_name, expression) => {
    const { selectors, grouping } = readPromql(expression);
    expect(selectors.length).toBeGreaterThan(0);
    expect(selectors.flatMap(problemsOf)).toEqual([]);
    const names = new Set(selectors.map(({ name }) => name));
    const labels = new Set(
      samples.filter(({ name }) => names.has(name)).flatMap((sample) => Object.keys(sample.labels)),
    );
    const own = grouping.filter((label) => !OF_TARGETS.includes(label) && !/^ALERTS$/.test([...names].join()));
    expect(own.filter((label) => !labels.has(label))).toEqual([]);
  });

  test("this check finds a metric, a label and a value that do not exist", () => {
    const problems = (expression: string) => readPromql(expression).selectors.flatMap(problemsOf);
    expect(problems("rate(latchkey_nothing_total[5m]) > 1e3")).toEqual(["latchkey_nothing_total does not exist"]);
    expect(problems('sum by (job) (latchkey_runs{status="queued"}) or latchkey_runs{state="?"}')).toEqual([
      "latchkey_runs has no label status",
      'latchkey_runs has no state="?"',
    ]);
  });
});

describe("every alert", () => {
  test("has a severity, a summary and a page, and every page an alert", async () => {
    const pages = (await readdir(RUNBOOKS)).map((name) => name.replace(/\.md$/, "")).sort();
    expect([...new Set(alerts.map(({ alert }) => alert))].sort()).toEqual(pages);
    for (const { alert, labels, annotations } of alerts) {
      expect(["page", "ticket"], alert).toContain(labels?.severity);
      expect(annotations?.summary, alert).toMatch(/^[{A-Z0-9].*\.$/);
      expect(annotations?.runbook_url, alert).toBe(`docs/runbooks/${alert}.md`);
    }
  });

  test("has a page that names it and says the cause, what to look at and what to do", async () => {
    for (const name of await readdir(RUNBOOKS)) {
      const page = await readFile(new URL(name, RUNBOOKS), "utf8");
      expect(page, name).toMatch(new RegExp(`^# ${name.replace(/\.md$/, "")}\n\n\\S`));
      expect([...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual(["Causes", "Check", "Fix"]);
    }
  });

  test("has a test for promtool", async () => {
    const tests =
      (await text("deploy/prometheus/tests/alerts.test.yaml")) + (await text("deploy/prometheus/tests/slo.test.yaml"));
    for (const { alert } of alerts) expect(tests).toContain(`alertname="${alert}"`);
  });
});

test("the objective of availability is about every RPC and every endpoint that is one", async () => {
  const [, pattern = ""] = /procedure=~"([^"]+)", code/.exec(rules.find(({ record }) => record)?.expr ?? "") ?? [];
  const endpoints = await text("src/transport/endpoints/endpoints.ts");
  const named = Array.from(endpoints.matchAll(/procedure: "([^"]+)"/g), ([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(2);
  const procedures = [...named, AUTH_CHECK, ENVOY_CHECK, ...RPCS.map(({ procedure }) => procedure.slice(1))];
  // As Prometheus does it: the whole text.
  expect(procedures.filter((name) => !new RegExp(`^(?:${pattern})$`).test(name))).toEqual([]);
});

test("the pages name metrics that a running service has", async () => {
  // Of the pauses of the garbage collector there are samples only after the first one.
  const service = await (await fetch(`${busy.latchkey.url}/metrics`)).text();
  const text = service + (await edge.get("/metrics")).text;
  const names = new Set(Array.from(text.matchAll(/^# TYPE (\w+) /gm), ([, name]) => name));
  for (const file of await readdir(RUNBOOKS)) {
    const page = await readFile(new URL(file, RUNBOOKS), "utf8");
    for (const [name] of page.matchAll(/\b(?:latchkey|nodejs|process)_[a-z_0-9]+\b/g)) {
      expect(names, `${file}: ${name}`).toContain(name.replace(/_(?:count|sum|bucket)$/, ""));
    }
  }
});

describe("the dashboard", () => {
  test("can be imported: unique ids, panels side by side, a data source to choose", () => {
    expect(dashboard).toMatchObject({ uid: "latchkey", title: "Latchkey", schemaVersion: expect.any(Number) });
    expect(dashboard.templating.list.map(({ name }: { name: string }) => name)).toEqual([
      "datasource",
      "job",
      "instance",
    ]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const places = new Set<string>();
    for (const { title, gridPos } of panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(places.has(`${x} ${y}`), title).toBe(false);
          places.add(`${x} ${y}`);
        }
    }
  });

  test("has panels with a title, a description and named series, of the chosen replicas", () => {
    for (const { type, title, description, targets = [] } of panels) {
      expect(title).not.toBe("");
      if (type === "row") continue;
      expect(description, title).toMatch(/\.$/);
      expect(targets.length, title).toBeGreaterThan(0);
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
      for (const { expr, legendFormat } of targets) {
        expect(legendFormat, title).not.toBe("");
        for (const { name, matchers } of readPromql(expr).selectors) {
          const labels = matchers.map(({ label }) => label);
          expect(labels, `${title}: ${name}`).toEqual(
            expect.arrayContaining(recorded.has(name) ? ["job"] : OF_TARGETS),
          );
        }
      }
    }
  });

  test("shows every metric of the service", () => {
    const shown = new Set(
      expressions.flatMap(([, expression]) => readPromql(expression).selectors.map(({ name }) => name)),
    );
    const names = new Set(samples.map(({ name }) => name).filter((name) => /^latchkey_/.test(name)));
    const families = new Set(Array.from(names, (name) => name.replace(/_(?:count|sum|bucket)$/, "")));
    const isShown = (family: string) => [family, `${family}_count`, `${family}_bucket`].some((name) => shown.has(name));
    expect([...families].filter((family) => !isShown(family))).toEqual([]);
  });
});
