import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blocksOf, type Callers, needs, output, startCallers } from "./callers.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MODULE = join(ROOT, "clients/go");

let callers: Callers;
let dir: string;
beforeAll(async () => {
  await needs("The tests of the Go client need Go 1.25 or later: install it.", "go", "version");
  dir = await mkdtemp(join(tmpdir(), "latchkey-go-"));
  callers = await startCallers();
});
afterAll(async () => {
  await callers?.close();
  await rm(dir, { recursive: true, force: true });
});

const go = (args: readonly string[], cwd = MODULE) => output("go", args, { cwd, env: callers.env });

async function textsOf(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".go")).toSorted();
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const)),
  );
}

test("generating the code again changes nothing", async () => {
  await output("buf", ["generate", "--template", "buf.gen.go.yaml", "-o", dir], { cwd: ROOT });
  const generated = await textsOf(join(dir, "clients/go/gen"));
  expect(generated.size).toBeGreaterThan(20);
  expect(await textsOf(join(MODULE, "gen"))).toEqual(generated);
});

test("the client's code is formatted, vetted and tidy", async () => {
  expect(await output("gofmt", ["-l", "."], { cwd: MODULE })).toBe("");
  await go(["vet", "./..."]);
  await go(["mod", "tidy", "-diff"]);
});

test("the client's own tests pass against the service", async () => {
  expect(await go(["test", "-count=1", "./..."])).toMatch(/^ok\s+latchkey\.example\/latchkey\s/m);
}, 300_000);

test("the README's programs do what they say", async () => {
  const readme = await readFile(join(MODULE, "README.md"), "utf8");
  const project = join(dir, "project");
  const outputs: string[] = [];
  for (const [index, program] of blocksOf(readme, "go").entries()) {
    const folder = join(project, `program${index}`);
    await cp(join(MODULE, "go.sum"), join(folder, "go.sum"));
    await writeFile(join(folder, "main.go"), program);
    await go(["mod", "init", "example.com/program"], folder);
    const [setup = ""] = blocksOf(readme, "sh");
    const commands = setup.replaceAll("../latchkey/clients/go", MODULE.replace(/\/$/, ""));
    await output("sh", ["-ec", commands], { cwd: folder });
    outputs.push(await go(["run", "."], folder));
  }
  expect(outputs).toEqual([
    expect.stringMatching(/^You said: Hi\n\d+ conversations\n$/),
    "200 secret_key [conversations:*]\n",
  ]);
}, 300_000);
