import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
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

test("a command installs its program when it first runs, and needs neither npm nor a network after that", async () => {
  const tools = join(folder, "tools");
  for (const file of ["install.ts", "packages.ts", "commands/package.json", "commands/command.ts"])
    await cp(join(ROOT, "tools/on-demand", file), join(tools, file));
  await mkdir(join(tools, "buf/tiny"), { recursive: true });
  await writeFile(join(tools, "buf/tiny/package.json"), '{"name":"tiny","version":"1.0.0","bin":{"buf":"buf.cjs"}}');
  const source = "#!/usr/bin/env node\nconsole.log(...process.argv.slice(2));\nprocess.exitCode = 3;\n";
  await writeFile(join(tools, "buf/tiny/buf.cjs"), source);
  await writeFile(join(tools, "buf/package.json"), JSON.stringify({ name: "b", dependencies: { tiny: "file:tiny" } }));
  await run("npm", ["install", "--package-lock-only", "--offline"], { cwd: join(tools, "buf") });
  await symlink(join(tools, "commands/command.ts"), join(folder, "buf"));
  const call = (PATH: string) =>
    run(process.execPath, [join(folder, "buf"), "build", "-o"], { env: { ...process.env, PATH } });
  await expect(call(process.env.PATH ?? "")).rejects.toMatchObject({ code: 3, stdout: "build -o\n" });
  await expect(call("/nowhere")).rejects.toMatchObject({ code: 3, stdout: "build -o\n" });
});

/** Of commands that do not have their package's name. */
const PACKAGES: Readonly<Record<string, string>> = {
  biome: "@biomejs/biome",
  buf: "@bufbuild/buf",
  stryker: "@stryker-mutator/core",
};

const manifest = async (inner: string) => JSON.parse(await readFile(join(ROOT, inner, "package.json"), "utf8"));

test("each large package is one that a file loads, a script runs, the site imports or a setting names, and none is the project's own", async () => {
  const manifests = await Promise.all(["", "buf/", "lint/"].map((inner) => manifest(`tools/on-demand/${inner}`)));
  const dependencies = manifests.flatMap((each) => Object.keys(each.dependencies));
  const { bin } = await manifest("tools/on-demand/commands/");
  const own = await manifest("");
  const { plugins } = JSON.parse(await readFile(join(ROOT, "stryker.config.json"), "utf8"));
  const files = globSync(["tools/*/*.ts", "test/**/*.test.ts"], { cwd: ROOT });
  const sources = await Promise.all(files.map((file) => readFile(join(ROOT, file), "utf8")));
  const loaded = sources.flatMap((source) => [...source.matchAll(/\bload<.+>\("([^"]+)"\)/g)].map(([, name]) => name));
  const commands = Object.values<string>(own.scripts).flatMap(
    (script) => /on-demand\/main\.ts (\w+)/.exec(script)?.[1] ?? [],
  );
  const run = [...commands, ...Object.keys(bin)].map((command) => PACKAGES[command] ?? command);
  const diagram = await readFile(join(ROOT, "docs/.vitepress/theme/diagram.mjs"), "utf8");
  const imported = [...diagram.matchAll(/from "(@[\w-]+\/[\w-]+)/g)].map(([, name]) => name);
  expect(dependencies.sort()).toEqual([...new Set([...loaded, ...run, ...imported, ...plugins])].sort());
  for (const name of dependencies) expect({ ...own.dependencies, ...own.devDependencies }).not.toHaveProperty([name]);
});
