import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { canRun, ensureInstalled } from "../servers/debian.ts";

const UNIT = fileURLToPath(new URL("../../deploy/systemd/latchkey.service", import.meta.url));
/** systemd's own scale of what a service may do to its machine, from 0 to 10. */
const EXPOSURE_MAX = 2;

const analyze = (...args: string[]) => promisify(execFile)("systemd-analyze", args);

let dir: string;
let unit: string;
beforeAll(async () => {
  await ensureInstalled({
    package: "systemd",
    isInstalled: () => canRun("systemd-analyze", "--version"),
    advice: "This test needs systemd-analyze: install Debian's package systemd.",
  });
  dir = await mkdtemp(join(tmpdir(), "latchkey-systemd-"));
  unit = join(dir, "latchkey.service");
  // systemd looks for the program, which is elsewhere here.
  await writeFile(unit, (await readFile(UNIT, "utf8")).replaceAll("/usr/bin/node", process.execPath));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test("systemd accepts the unit without a remark", async () => {
  expect(await analyze("verify", "--man=no", unit)).toEqual({ stdout: "", stderr: "" });
});

test("systemd counts the service among those that can do little to the machine", async () => {
  const { stdout } = await analyze("security", "--offline=true", "--no-pager", unit);
  const [, exposure = "10"] = /Overall exposure level for .*: ([\d.]+)/.exec(stdout) ?? [];
  expect(Number(exposure)).toBeLessThan(EXPOSURE_MAX);
});
