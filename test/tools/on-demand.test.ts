import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { installOnce } from "../../tools/on-demand/install.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

let folder: string;
const lock = () => join(folder, "package-lock.json");

/** A package whose one dependency is a folder, so that its installation needs no registry. It appends a line to `runs`. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "latchkey-on-demand-"));
  await mkdir(join(folder, "tiny"));
  await writeFile(join(folder, "tiny/package.json"), '{"name":"tiny","version":"1.0.0"}');
  const scripts = { preinstall: "echo run >> runs" };
  const manifest = { name: "a", version: "1.0.0", scripts, dependencies: { tiny: "file:tiny" } };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await run("npm", ["install", "--package-lock-only", "--ignore-scripts", "--offline"], { cwd: folder });
});

afterEach(() => rm(folder, { recursive: true }));

async function runs(): Promise<number> {
  return (await readFile(join(folder, "runs"), "utf8")).split("\n").length - 1;
}

test("what several need at once is installed once, and again when the lock file changes", async () => {
  await Promise.all([installOnce(folder), installOnce(folder), installOnce(folder)]);
  expect((await stat(join(folder, "node_modules/tiny"))).isDirectory()).toBe(true);
  await installOnce(folder);
  expect(await runs()).toBe(1);
  await writeFile(lock(), `${await readFile(lock(), "utf8")}\n`);
  await installOnce(folder);
  expect(await runs()).toBe(2);
  expect(existsSync(join(folder, ".installing"))).toBe(false);
});

test("an installation that was killed does not hold up the next one", async () => {
  const { stdout } = await run(process.execPath, ["-p", "process.pid"]);
  await writeFile(join(folder, ".installing"), stdout.trim());
  await installOnce(folder);
  expect(await runs()).toBe(1);
});

test("an installation that fails says what to do, and is tried again the next time", async () => {
  const right = await readFile(lock(), "utf8");
  await writeFile(lock(), "{}");
  await expect(installOnce(folder)).rejects.toThrow(`try: npm ci --prefix ${folder}`);
  await writeFile(lock(), right);
  await installOnce(folder);
  expect(await runs()).toBe(1);
});

test("each large package is one that a file loads, a script runs, the site imports or a setting names, and none is the project's own", async () => {
  const { dependencies } = JSON.parse(await readFile(join(ROOT, "tools/on-demand/package.json"), "utf8"));
  const own = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const { plugins } = JSON.parse(await readFile(join(ROOT, "stryker.config.json"), "utf8"));
  const files = globSync(["tools/*/*.ts", "test/**/*.test.ts"], { cwd: ROOT });
  const sources = await Promise.all(files.map((file) => readFile(join(ROOT, file), "utf8")));
  const loaded = sources.flatMap((source) => [...source.matchAll(/\bload<.+>\("([^"]+)"\)/g)].map(([, name]) => name));
  const commands = Object.values<string>(own.scripts).flatMap(
    (script) => /on-demand\/main\.ts (\w+)/.exec(script)?.[1] ?? [],
  );
  const run = commands.map((command) => (command === "stryker" ? "@stryker-mutator/core" : command));
  const diagram = await readFile(join(ROOT, "docs/.vitepress/theme/diagram.mjs"), "utf8");
  const imported = [...diagram.matchAll(/from "(@[\w-]+\/[\w-]+)/g)].map(([, name]) => name);
  expect(Object.keys(dependencies).sort()).toEqual([...new Set([...loaded, ...run, ...imported, ...plugins])].sort());
  for (const name of Object.keys(dependencies))
    expect({ ...own.dependencies, ...own.devDependencies }).not.toHaveProperty([name]);
});
