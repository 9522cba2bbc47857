// promise: guards.log, clients.user-agent, clients.http, clients.webhooks
// promise: clients.wrong-host, guards.request-id, guards.check
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";
import { blocksOf, type Callers, consoleSnippets, needs, output, startCallers } from "./callers.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MODULE = join(ROOT, "clients/go");
const MODULES = [MODULE, join(MODULE, "grpcguard")];

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
  for (const module of MODULES) {
    await go(["vet", "./..."], module);
    await go(["mod", "tidy", "-diff"], module);
  }
}, 300_000);

test.each(MODULES)(
  "the client's own tests pass against the service: %s",
  async (module) => {
    expect(await go(["test", "-count=1", "./..."], module)).toMatch(/^ok\s+\S+\s/m);
  },
  300_000,
);

/** What a program prints, in a module of its own, set up as the README says. */
async function printed(name: string, program: string, env: Record<string, string> = callers.env): Promise<string> {
  const folder = join(dir, "project", name);
  await cp(join(MODULE, "go.sum"), join(folder, "go.sum"));
  await writeFile(join(folder, "main.go"), program);
  await go(["mod", "init", "example.com/program"], folder);
  const [setup = ""] = blocksOf(await readFile(join(MODULE, "README.md"), "utf8"), "sh");
  const commands = setup.replaceAll("../latchkey/clients/go", MODULE.replace(/\/$/, ""));
  await output("sh", ["-ec", commands], { cwd: folder });
  return output("go", ["run", "."], { cwd: folder, env });
}

test("the README's programs do what they say", async () => {
  const readme = await readFile(join(MODULE, "README.md"), "utf8");
  const outputs: string[] = [];
  for (const [index, program] of blocksOf(readme, "go").entries())
    outputs.push(await printed(`program${index}`, program));
  expect(outputs).toEqual([
    expect.stringMatching(/^You said: Hi\n\d+ conversations\n$/),
    "200 secret_key [conversations:*]\n",
  ]);
}, 300_000);

test("the first request that the console shows beside a new key is formatted, and prints the key's scopes", async () => {
  const outputs: string[] = [];
  for (const [index, { program, env }] of consoleSnippets("go", callers).entries()) {
    outputs.push(await printed(`console${index}`, `${program}\n`, env));
    expect(await output("gofmt", ["-l", join(dir, "project", `console${index}`)])).toBe("");
  }
  expect(outputs).toEqual(["[conversations:*]\n", "[conversations:*]\n"]);
}, 300_000);

test("the tag of a release is the version that Go finds at the module's path", async () => {
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const [, path = ""] = /^module (\S+)/m.exec(await readFile(join(MODULE, "go.mod"), "utf8")) ?? [];
  const repository = join(dir, "latchkey.git");
  await output("git", ["init", "-q", "--bare", repository]);
  await output(join(ROOT, "scripts/tag-go.sh"), [repository, version]);
  // The page at the path names the repository and the folder. Go asks for it by https first, which nothing answers here.
  const address = "https://forge.test/latchkey";
  const host = createServer(({ url }, response) => {
    const inner = url?.includes("/grpcguard?") ? "/grpcguard" : "";
    response.end(`<meta name="go-import" content="${path}${inner} git ${address} clients/go${inner}">`);
  });
  const project = join(dir, "published");
  await mkdir(project);
  try {
    const env = {
      ...callers.env,
      HTTP_PROXY: `http://127.0.0.1:${await listenOnLoopback(host)}`,
      GOPRIVATE: path,
      GOINSECURE: path,
      GOMODCACHE: join(dir, "modules"),
      GOFLAGS: "-modcacherw",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: `url.file://${repository}.insteadOf`,
      GIT_CONFIG_VALUE_0: address,
    };
    await output("go", ["mod", "init", "example.com/program"], { cwd: project, env });
    await output("go", ["get", `${path}@v${version}`, `${path}/grpcguard@v${version}`], { cwd: project, env });
    const found = await output("go", ["list", "-m", "-f", "{{.Version}} {{.Dir}}", path], { cwd: project, env });
    const [tag, folder = ""] = found.trim().split(" ");
    expect(tag).toBe(`v${version}`);
    expect(await readdir(folder)).toEqual(expect.arrayContaining(["LICENSE", "client.go", "gen"]));
  } finally {
    await closeAll(host);
  }
}, 300_000);
