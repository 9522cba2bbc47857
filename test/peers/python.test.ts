// promise: guards.log, clients.user-agent, clients.http, clients.webhooks
// promise: clients.wrong-host, guards.request-id, guards.check
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blocksOf, type Callers, consoleSnippets, output, startCallers } from "./callers.ts";
import { createVenv, type Venv } from "./venv.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PACKAGE = join(ROOT, "clients/python");

let callers: Callers;
let venv: Venv;
beforeAll(async () => {
  venv = await createVenv(`${PACKAGE}[test,generate]`);
  callers = await startCallers();
}, 300_000);
afterAll(async () => {
  await callers?.close();
  await venv?.remove();
});

const run = (program: string, args: readonly string[]) => venv.run(program, args, { cwd: PACKAGE, env: callers.env });

/** The generated files of the package in a folder. */
async function textsOf(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /^_calls\.py$|^v1\/.*\.pyi?$/.test(name));
  return new Map(
    await Promise.all(
      names.toSorted().map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const),
    ),
  );
}

test("generating the code again changes nothing", async () => {
  const out = join(venv.dir, "generated");
  await output("buf", ["generate", "--template", "buf.gen.python.yaml", "-o", out], { cwd: ROOT, env: venv.env });
  const generated = await textsOf(join(out, "clients/python/src/latchkey"));
  expect(generated.size).toBeGreaterThan(30);
  expect(await textsOf(join(PACKAGE, "src/latchkey"))).toEqual(generated);
});

test("mypy finds the types of the client and of its tests right", async () => {
  expect(await run("mypy", ["--cache-dir", join(venv.dir, "mypy"), "src", "tests"])).toContain("Success");
});

test("the client's own tests pass against the service, with the installed package", async () => {
  expect(await run("pytest", ["-q", "-p", "no:cacheprovider"])).toMatch(/^\d+ passed/m);
}, 600_000);

test("the README's programs do what they say", async () => {
  const readme = await readFile(join(PACKAGE, "README.md"), "utf8");
  const outputs: string[] = [];
  for (const [index, program] of blocksOf(readme, "python").entries()) {
    const file = join(venv.dir, `program${index}.py`);
    await writeFile(file, program);
    outputs.push(await run("python", [file]));
  }
  expect(outputs).toEqual([
    expect.stringMatching(/^You said: Hi\n\d+ conversations\n$/),
    expect.stringMatching(/^\d+ keys\n$/),
    "200 {'tenant': True, 'permissions': ['conversations:*']}\n401 missing_credentials\n",
    "{'kind': 'secret_key'}\nmissing_credentials\n",
  ]);
});

test("the first request that the console shows beside a new key prints the key's scopes", async () => {
  const outputs: string[] = [];
  for (const [index, { program, env }] of consoleSnippets("python", callers).entries()) {
    const file = join(venv.dir, `console${index}.py`);
    await writeFile(file, `${program}\n`);
    outputs.push(await venv.run("python", [file], { cwd: venv.dir, env }));
  }
  expect(outputs).toEqual(["['conversations:*']\n", "['conversations:*']\n"]);
});
