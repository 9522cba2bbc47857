import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { startBusyService } from "../harness/busy-service.ts";
import { canRun } from "../servers/debian.ts";

const FOLDER = fileURLToPath(new URL("../../deploy/prometheus/", import.meta.url));

const promtool = (...args: string[]) => promisify(execFile)("promtool", args, { cwd: FOLDER });

beforeAll(async () => {
  if (await canRun("promtool", "--version")) return;
  throw new Error("The tests of the alert rules need promtool: install Debian's package prometheus.");
});

test("promtool accepts the rules", async () => {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith(".yaml"));
  expect(files).toEqual(["alerts.yaml", "slo.yaml"]);
  expect((await promtool("check", "rules", ...files)).stdout).not.toContain("FAILED");
});

test.each(["tests/alerts.test.yaml", "tests/slo.test.yaml"])("promtool's tests in %s pass", async (file) => {
  expect((await promtool("test", "rules", file)).stdout).toContain("SUCCESS");
});

test("promtool finds the scrape endpoint's format right, and its names and help texts conventional", async () => {
  const { latchkey, close } = await startBusyService();
  try {
    const text = await (await fetch(`${latchkey.url}/metrics`)).text();
    const checked = promisify(execFile)("promtool", ["check", "metrics"]);
    checked.child.stdin?.end(text);
    const { stdout, stderr } = await checked.catch((err: { stdout: string; stderr: string }) => err);
    // Of Node's own metrics, which prom-client names.
    const ours = `${stdout}${stderr}`.split("\n").filter((line) => /\blatchkey_/.test(line));
    expect(ours).toEqual([]);
    expect(`${stdout}${stderr}`).not.toContain("error while linting");
  } finally {
    await close();
  }
});
