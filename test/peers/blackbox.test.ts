import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import { sumOf } from "../harness/scrape.ts";
import { canRun, ensureInstalled } from "../servers/debian.ts";
import { freePort } from "../servers/free-port.ts";
import { killAtExit } from "../servers/kill-at-exit.ts";

// Prometheus' blackbox exporter makes the verification of deploy/prometheus/probe.

const EXPORTER = "prometheus-blackbox-exporter";
const PROBE = new URL("../../deploy/prometheus/probe/", import.meta.url);
const RULES = new URL("../../deploy/prometheus/", import.meta.url).pathname;

const text = (name: string) => readFile(new URL(name, PROBE), "utf8");

let dir: string;
let fleet: Fleet;
let service: Replica;
let stop: () => Promise<unknown>;
let exporterUrl: string;
let keyId: string;
beforeAll(async () => {
  await ensureInstalled({
    package: EXPORTER,
    isInstalled: () => canRun(EXPORTER, "--version"),
    advice: `This test needs Prometheus' blackbox exporter: install Debian's package ${EXPORTER}.`,
  });
  dir = await mkdtemp(join(tmpdir(), "latchkey-blackbox-"));
  fleet = await startFleet("");
  service = await fleet.start();
  const { key, key_id } = await fleet.createKey(service, {});
  keyId = key_id;
  const file = join(dir, "blackbox.yaml");
  await writeFile(file, (await text("blackbox.yaml")).replace("sk_of_the_probe", key));
  const port = await freePort();
  exporterUrl = `http://127.0.0.1:${port}`;
  const args = [`--config.file=${file}`, `--web.listen-address=127.0.0.1:${port}`];
  const child = spawn(EXPORTER, args, { stdio: "ignore" });
  killAtExit(child, () => child.kill("SIGKILL"));
  stop = async () => {
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  while (!(await isHealthy())) await sleep(50);
}, 180_000);
afterAll(async () => {
  await stop?.();
  await fleet?.close();
  await rm(dir, { recursive: true });
});

function isHealthy(): Promise<boolean> {
  return fetch(`${exporterUrl}/-/healthy`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** 1 or 0, as the job of `scrape.yaml` asks for it. */
async function probe(): Promise<number> {
  const [{ params, static_configs, metrics_path }] = parse(await text("scrape.yaml"));
  const target = static_configs[0].targets[0].replace("https://latchkey.example.com", service.url);
  const query = new URLSearchParams({ module: params.module[0], target });
  const answer = await (await fetch(`${exporterUrl}${metrics_path}?${query}`)).text();
  const samples = Array.from(answer.matchAll(/^(\w+) (\S+)$/gm), ([, name = "", value]) => ({
    ...{ name, labels: {}, value: Number(value) },
  }));
  return sumOf(samples, "probe_success");
}

test("promtool accepts the probe's scrape configuration beside the rules", async () => {
  const file = join(dir, "prometheus.yml");
  const rules = ["alerts.yaml", "slo.yaml"].map((name) => `  - ${RULES}${name}\n`).join("");
  await writeFile(file, `rule_files:\n${rules}scrape_configs:\n${await text("scrape.yaml")}`);
  expect((await promisify(execFile)("promtool", ["check", "config", file])).stdout).toContain("SUCCESS");
});

test("the probe succeeds while its key is admitted, and fails while the service hangs, and when the key is revoked", async () => {
  expect(await probe()).toBe(1);
  service.child.kill("SIGSTOP");
  expect(await probe()).toBe(0);
  service.child.kill("SIGCONT");
  await expect.poll(probe).toBe(1);
  const headers = await fleet.dashboard();
  const revoked = await service.call("/api/v1/api-keys/revoke", { key_id: keyId }, headers);
  expect(revoked.status, revoked.text).toBe(200);
  expect(await probe()).toBe(0);
}, 120_000);
