import { type ChildProcess, spawn } from "node:child_process";
import { chmod, cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { accepting } from "../proxies/proxy.ts";
import { freePort } from "../servers/free-port.ts";
import { checkTypes, type PackedClient, packClient, run } from "./packed.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const EXAMPLE = join(ROOT, "examples/plans");
const BLOCK = /(?:`([^`\n]+)`:\n\n)?```(\w+)\n([\s\S]*?)```/g;
const [BUF, GENERATOR, CHECK] = ["buf", "protoc-gen-latchkey-policy", "latchkey-policy"];

interface Block {
  /** The file that it is for, from the text before it. */
  readonly file: string | undefined;
  readonly language: string;
  readonly text: string;
}

const blocksOf = async (path: string): Promise<Block[]> =>
  [...(await readFile(join(ROOT, path), "utf8")).matchAll(BLOCK)].map(([, file, language = "", text = ""]) => ({
    file,
    language,
    text,
  }));

let latchkey: Latchkey;
let packed: PackedClient;
let env: Record<string, string | undefined>;
const started: ChildProcess[] = [];

beforeAll(async () => {
  [latchkey, packed] = await Promise.all([startLatchkey(), packClient()]);
  const modules = join(packed.project, "node_modules");
  await mkdir(join(modules, ".bin"));
  await symlink(join(ROOT, "node_modules/@connectrpc/connect-node"), join(modules, "@connectrpc/connect-node"));
  for (const name of [BUF, "protoc-gen-es", "tsc"])
    await symlink(join(ROOT, "node_modules/.bin", name), join(modules, ".bin", name));
  // As npm installs a package's commands.
  const { bin } = JSON.parse(await readFile(join(packed.directory, "package.json"), "utf8"));
  for (const name of [GENERATOR, CHECK]) {
    await chmod(join(packed.directory, bin[name]), 0o755);
    await symlink(join(packed.directory, bin[name]), join(modules, ".bin", name));
  }
  env = { PATH: `${join(modules, ".bin")}:${dirname(process.execPath)}:${process.env.PATH}`, HOME: packed.project };
});

afterAll(async () => {
  for (const child of started) child.kill();
  await latchkey.close();
  await packed.remove();
});

const sh = async (command: string, cwd: string, more: Record<string, string> = {}): Promise<string> =>
  (await run("sh", ["-ec", command], { cwd, env: { ...env, ...more } })).stdout;

/** Runs a server of the project until the end of the tests; returns its URL. */
async function serve(file: string, cwd: string): Promise<string> {
  const port = await freePort();
  const own = { ...env, LATCHKEY_URL: latchkey.url, PORT: String(port) };
  started.push(spawn(process.execPath, [file], { cwd, env: own, stdio: ["ignore", "ignore", "inherit"] }));
  await accepting(port);
  return `http://127.0.0.1:${port}`;
}

async function newKey(permissions: readonly string[], tenant = newTenant()): Promise<string> {
  return (await latchkey.createKey(await latchkey.dashboard(tenant), { permissions })).key;
}

describe("the guide", () => {
  const call = async (url: string, headers: Record<string, string>) =>
    (
      await fetch(`${url}/acme.plans.v1.PlanService/GetPlan`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: "{}",
      })
    ).json();

  test("leads to a guarded service, and to a check that finds a wider policy", async () => {
    const blocks = await blocksOf("docs/guides/guard-connect.md");
    const files = blocks.filter((block) => block.file !== undefined && block.language !== "nginx");
    expect(files.map(({ file }) => file)).toEqual([
      "api/acme/plans/v1/plans.proto",
      "buf.yaml",
      "buf.gen.yaml",
      "server.ts",
    ]);
    for (const { file = "", text } of files) {
      await mkdir(dirname(join(packed.project, file)), { recursive: true });
      await writeFile(join(packed.project, file), text);
    }
    const shell = blocks.filter(isShell).map(({ text }) => text);
    // The first one installs what the packed client's project has.
    const [, generate = "", compile = "", start = "", baseline = "", compare = "", more] = shell;
    expect(more).toBeUndefined();
    await sh(generate, packed.project);
    await checkTypes(packed, join(packed.project, "server.ts"), { allowImportingTsExtensions: true });
    await writeFile(join(packed.project, "package.json"), '{"type":"module"}');
    await sh(compile, packed.project);
    const [, program = ""] = /node (\S+)\n$/.exec(start) ?? [];

    const tenant = newTenant();
    // Compiled, for every Node that the client's package takes, and as it is.
    for (const file of [program, "server.ts"]) {
      const url = await serve(file, packed.project);
      expect(await call(url, { "x-api-key": await newKey(["plans:read"], tenant) })).toEqual({ tenantId: tenant });
      expect(await call(url, {})).toMatchObject({ code: "unauthenticated" });
    }

    await sh(baseline + compare, packed.project);
    const proto = join(packed.project, "api/acme/plans/v1/plans.proto");
    await writeFile(proto, (await readFile(proto, "utf8")).replace('      scope: "plans:read"\n', ""));
    await expect(sh(compare, packed.project)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("GetPlan asks API keys for no scope any more; it was plans:read"),
    });
  });

  test("serves gRPC over HTTP/2 with the server that it names for that", async () => {
    const server = await readFile(join(packed.project, "server.ts"), "utf8");
    const other = server.replace('from "node:http"', 'from "node:http2"');
    expect(other).not.toBe(server);
    await writeFile(join(packed.project, "http2.ts"), other);
    await checkTypes(packed, join(packed.project, "http2.ts"), { allowImportingTsExtensions: true });
    await writeFile(
      join(packed.project, "grpc.ts"),
      `import { createClient } from "@connectrpc/connect";
       import { createGrpcTransport } from "@connectrpc/connect-node";
       import { PlanService } from "./gen/acme/plans/v1/plans_pb.ts";
       const [, , baseUrl = "", key = ""] = process.argv;
       const { getPlan } = createClient(PlanService, createGrpcTransport({ baseUrl }));
       console.log((await getPlan({}, { headers: { "x-api-key": key } })).tenantId);
       console.log(await getPlan({}).catch(({ code }) => code));
       process.exit();`,
    );
    const tenant = newTenant();
    const url = await serve("http2.ts", packed.project);
    const key = await newKey(["plans:read"], tenant);
    expect(await sh(`node grpc.ts ${url} ${key}`, packed.project)).toBe(`${tenant}\n${Code.Unauthenticated}\n`);
  });

  test("names versions that are one copy of connect with the client's", async () => {
    const [install] = (await blocksOf("docs/guides/guard-connect.md")).filter(isShell);
    const { dependencies } = JSON.parse(await readFile(join(packed.directory, "package.json"), "utf8"));
    for (const name of ["@connectrpc/connect", "@bufbuild/protobuf"])
      expect(install?.text).toContain(` ${name}@${dependencies[name]}`);
  });

  test("has the way without map_imports, whose code the guard reads as well", async () => {
    const template = (await blocksOf("docs/guides/guard-connect.md")).find(({ file }) => file === "buf.gen.yaml");
    const older = template?.text
      .replace(/ {6}# Code that imports.*\n.*map_imports.*\n/, "")
      .replace("out: gen\n", "out: older\n    include_imports: true\n");
    await writeFile(join(packed.project, "older.yaml"), older ?? "");
    await sh("npx buf generate --template older.yaml", packed.project);
    const server = await readFile(join(packed.project, "server.ts"), "utf8");
    await writeFile(join(packed.project, "older.ts"), server.replace("./gen/", "./older/"));
    const url = await serve("older.ts", packed.project);
    // The test before took the scope away.
    expect(await call(url, { "x-api-key": await newKey(["audit:read"]) })).toHaveProperty("tenantId");
    expect(await call(url, { "x-api-key": "nonsense" })).toMatchObject({ code: "unauthenticated" });
  });
});

describe("examples/plans", () => {
  test("has in `gen` what its proto makes in a project of one's own, too", async () => {
    const project = join(packed.project, "own");
    await mkdir(project);
    await symlink(join(packed.project, "node_modules"), join(project, "node_modules"));
    await cp(join(EXAMPLE, "api"), join(project, "api"), { recursive: true });
    for (const { file = "", text } of await blocksOf("docs/guides/guard-connect.md")) {
      if (file.startsWith("buf.")) await writeFile(join(project, file), text);
    }
    await sh("npx buf generate", project);
    await sh(`diff -r gen ${join(EXAMPLE, "gen")}`, project);
  });

  test("does what its README says, command for command", async () => {
    const blocks = (await blocksOf("examples/plans/README.md")).filter(isShell).map(({ text }) => text);
    const [build, start = "", ...calls] = blocks;
    // What the packed client stands for here.
    expect(build).toBe("npm run build -w clients/typescript\n");
    const [, file = ""] = /node (\S+)\n$/.exec(start) ?? [];
    await cp(EXAMPLE, join(packed.project, "examples/plans"), { recursive: true });
    await checkTypes(packed, join(packed.project, file), { allowImportingTsExtensions: true });
    const url = await serve(file, packed.project);
    const LATCHKEY_KEY = await newKey(["plans:read", "plans:write"]);
    const outputs: unknown[] = [];
    for (const text of calls)
      outputs.push(
        JSON.parse(await sh(text.replaceAll("http://127.0.0.1:9000", url), packed.project, { LATCHKEY_KEY })),
      );
    const plan = { name: "basic", cents: 500 };
    expect(outputs).toEqual([
      { currencies: ["EUR", "USD"] },
      { plan },
      { plans: [plan] },
      expect.objectContaining({
        code: "permission_denied",
        details: [expect.objectContaining({ debug: { reason: "DENIAL_REASON_INSUFFICIENT_SCOPE" } })],
      }),
    ]);
    await rm(join(packed.project, "examples"), { recursive: true });
  });
});

function isShell({ language }: Block): boolean {
  return language === "sh";
}
