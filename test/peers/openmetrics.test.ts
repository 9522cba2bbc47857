import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BusyService, startBusyService } from "../harness/busy-service.ts";
import { createVenv, type Venv } from "./venv.ts";

/** With the strict parser that Prometheus' own client for Python has for OpenMetrics. */
const PACKAGE = "prometheus-client==0.26.0";
/** What Prometheus 3 sends. */
const ACCEPT =
  "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1";

const PROGRAM = `
from prometheus_client.openmetrics.parser import text_string_to_metric_families

families = list(text_string_to_metric_families(open("metrics.txt").read()))
counters = [family for family in families if family.type == "counter"]
print(len(families), len(counters), sum(len(family.samples) for family in families))
`;

let busy: BusyService;
let venv: Venv;
beforeAll(async () => {
  venv = await createVenv(PACKAGE);
  busy = await startBusyService();
}, 300_000);
afterAll(async () => {
  await busy?.close();
  await venv?.remove();
});

test("Prometheus' own strict parser of OpenMetrics reads every sample of a service that has done some of everything", async ({
  task,
}) => {
  const text = await (await fetch(`${busy.latchkey.url}/metrics`, { headers: { accept: ACCEPT } })).text();
  await writeFile(join(venv.dir, "parse.py"), PROGRAM);
  await writeFile(join(venv.dir, "metrics.txt"), text);
  const printed = await venv.run("python", ["parse.py"], { cwd: venv.dir });
  const [families = 0, counters = 0, samples = 0] = printed.trim().split(" ").map(Number);
  expect(counters).toBeGreaterThan(5);
  expect(samples).toBe(text.match(/^[^#\n].*$/gm)?.length);
  task.meta.figures = `${families} families, ${samples} samples`;
}, 170_000);
