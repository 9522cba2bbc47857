import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, test } from "vitest";
import { expectReceiver, guideProgram } from "../client/webhooks-guide.suite.ts";
import { needs, output } from "./callers.ts";
import { createVenv } from "./venv.ts";

const CLIENTS = fileURLToPath(new URL("../../clients/", import.meta.url));

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "latchkey-webhooks-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test("the guide's receiver in Go takes each event once, and no other's", async () => {
  await needs("This test needs Go 1.25 or later: install it.", "go", "version");
  const cwd = join(dir, "go");
  await mkdir(cwd);
  await writeFile(join(cwd, "main.go"), await guideProgram("go"));
  await cp(join(CLIENTS, "go/go.sum"), join(cwd, "go.sum"));
  const module = "latchkey.example/latchkey";
  await output("go", ["mod", "init", "example.com/receiver"], { cwd });
  await output("go", ["mod", "edit", `-replace=${module}=${join(CLIENTS, "go")}`, `-require=${module}@v0.0.0`], {
    cwd,
  });
  await output("go", ["mod", "tidy"], { cwd });
  await output("go", ["build", "-o", "receiver", "."], { cwd });
  await expectReceiver({ command: join(cwd, "receiver"), args: [] });
}, 300_000);

test("the guide's receiver in Python does, too", async () => {
  const venv = await createVenv(join(CLIENTS, "python"));
  try {
    const file = join(dir, "receiver.py");
    await writeFile(file, await guideProgram("python"));
    await expectReceiver({ command: join(venv.dir, "bin/python"), args: [file], env: venv.env });
  } finally {
    await venv.remove();
  }
}, 300_000);
