import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { chooseProviderPort } from "../harness/dev-provider.ts";
import { post } from "../harness/http.ts";
import { type Running, run } from "../harness/service-process.ts";
import { copyTemplate } from "../servers/embedded-template.ts";

const ROOT = new URL("../../", import.meta.url);
const TOKEN_COMMAND = fileURLToPath(new URL("src/dev/token.ts", ROOT));

/** One that is in the environment of `npm run dev`. */
const OPERATOR_TOKEN = "operator-token-of-the-guide-0123456789";

let cwd: string;
let dev: Running;
/** The lines of the page that the fourth printed line leads to, block by block. */
let blocks: string[];

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "latchkey-dev-"));
  dev = run("dev/main.ts", { PORT: "0", OPERATOR_TOKEN }, cwd);
  await dev.waitFor(/\/try\n/);
  const page = await (await fetch(/http:\S+\/try/.exec(dev.output())?.[0] ?? "")).text();
  blocks = [...page.matchAll(/<pre>(.*?)<\/pre>/gs)].map(([, block = ""]) =>
    block.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
  );
});

afterAll(async () => {
  dev.child.kill("SIGTERM");
  await dev.ended();
  await rm(cwd, { recursive: true, force: true });
});

/** The path in the third printed line. */
function envFileOf(started: Running): string {
  return /^Tokens and keys, .* {2}\. '([^']+)'$/m.exec(started.output())?.[1] ?? "";
}

/** Runs lines as a newcomer pastes them, after the printed line that reads the exports; answers what the last one printed. */
async function paste(lines: string) {
  // A newcomer is in the checkout, whose `buf` npx runs and whose command makes tokens. This one has its data elsewhere.
  const here = lines.replaceAll(/npm run -s dev:token(?: --)?/g, `cd '${cwd}' && node '${TOKEN_COMMAND}'`);
  const { stdout } = await promisify(execFile)("bash", ["-c", `set -e\n. '${envFileOf(dev)}'\n${here}`], { cwd: ROOT });
  return JSON.parse(stdout.trim());
}

async function readText(path: string): Promise<string> {
  return readFile(new URL(path, ROOT), "utf8");
}

describe("`npm run dev`", () => {
  test("prints four lines, and a file with credentials that only its owner reads", async () => {
    const printed = dev.output().split("\n");
    expect(printed.slice(0, 5)).toEqual([
      expect.stringMatching(
        /^Latchkey is running at http:\S+, its console at http:\S+\/console \(sign in as dev-user\)/,
      ),
      expect.stringMatching(/^A first call, from another terminal: {4}curl -sS http:\S+ -H '.+' -d '\{\}'$/),
      expect.stringMatching(/^Tokens and keys, for another terminal: {2}\. '\/.+\/\.latchkey\/dev\/env\.sh'$/),
      expect.stringMatching(/^What to do with them, line by line: {5}http:\/\/127\.0\.0\.1:\d+\/try$/),
      "",
    ]);
    expect((await stat(envFileOf(dev))).mode & 0o777).toBe(0o600);
  });

  test("leads to lines that do what they say when pasted one after the other", async () => {
    expect(blocks).toHaveLength(10);
    const [
      create = "",
      list = "",
      send = "",
      state = "",
      verify = "",
      app = "",
      viewer = "",
      second = "",
      expired = "",
    ] = blocks;
    const revoke = blocks.at(-1) ?? "";
    expect((await paste(create)).result.key).toMatch(/^sk_/);
    expect((await paste(list)).pagination.total).toBe(0);
    expect((await paste(send)).runId).toMatch(/^run_/);
    const conversation = await paste(state);
    expect(conversation.messages[1].content[0].content).toBe("You said: Hi");
    expect((await paste(list)).pagination.total).toBe(1);

    const caller = { caller: "CALLER_PUBLISHABLE_KEY", user_id: "app-user", tenant_id: "ten_dev" };
    expect(await paste(verify)).toMatchObject(caller);
    const { key } = (await paste(app)).result;
    const own = `LATCHKEY_PUBLISHABLE_KEY=${key}\nLATCHKEY_USER_TOKEN=$(npm run -s dev:token -- --sub anna --no-tenant)`;
    expect(await paste(`${own}\n${verify}`)).toMatchObject({ caller: "CALLER_PUBLISHABLE_KEY", user_id: "anna" });
    expect((await paste(viewer)).denial_reason).toBe("insufficient_scope");
    expect((await paste(second)).pagination.total).toBe(0);
    expect((await paste(expired)).denial_reason).toBe("jwt_expired");

    const reflected = await paste(`npx buf curl --list-methods "$LATCHKEY_URL" | wc -l`);
    expect(reflected).toBeGreaterThan(14);
    expect((await paste(revoke)).result.status).toBe("KEY_STATUS_REVOKED");
    expect((await paste(list)).denial_reason).toBe("api_key_revoked");
  });

  test("allows publishable keys whose key set is its provider's, as localhost, too", async () => {
    const command = blocks[5]?.replace(
      "'$LATCHKEY_JWKS_URL'",
      "'http://localhost:$(echo $LATCHKEY_JWKS_URL | cut -d : -f 3)'",
    );
    expect((await paste(command ?? "")).result.key).toMatch(/^pk_/);
    const { message } = await paste((command ?? "").replace("localhost:", "localhost:1"));
    expect(message).toContain("jwksUrl");
  });
});

describe("npm run dev:token", () => {
  const token = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [TOKEN_COMMAND, ...args], { cwd });
    return decodeJwt(stdout.trim());
  };

  test("is what the script runs", async () => {
    const { scripts } = JSON.parse(await readText("package.json"));
    expect(scripts["dev:token"]).toBe("node src/dev/token.ts");
  });

  test("makes a token of the first user, or of any other with the claims that are named", async () => {
    expect(await token()).toMatchObject({ sub: "dev-user", tenant_id: "ten_dev", roles: ["owner"] });
    const claims = ["--claim", "plan=pro", 'address={"country":"CH"}'];
    const other = await token("--sub", "bob", "--tenant", "t2", "--role", "viewer", "ops", ...claims);
    const named = { sub: "bob", tenant_id: "t2", roles: ["viewer", "ops"], plan: "pro", address: { country: "CH" } };
    expect(other).toMatchObject({ ...named, email: "bob@example.com" });
    expect(await token("--no-tenant")).not.toHaveProperty("tenant_id");
  });

  test.each([
    [["--claim", "plan"], "error: --claim plan: must be name=value\n"],
    [["--rolle", "x"], "error: unknown option '--rolle'\n(Did you mean --role?)\n"],
  ])("refuses %j", async (args, stderr) => {
    await expect(token(...args)).rejects.toMatchObject({ code: 1, stderr });
  });

  test("says where there is no provider", async () => {
    const run = promisify(execFile)(process.execPath, [TOKEN_COMMAND], { cwd: tmpdir() });
    await expect(run).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("start the development server first"),
    });
  });
});

test("every line to paste is plain to zsh, too, which reads a comment like a command", async () => {
  const lines = blocks.flatMap((block) => block.trim().split("\n"));
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) expect(line).not.toMatch(/^#|!/);
  const exported = (await readFile(envFileOf(dev), "utf8")).trim().split("\n");
  expect(exported).toHaveLength(12);
  for (const line of exported) expect(line).toMatch(/^export \w+='[^']+'$/);
});

test("`npm run dev` has an operator's token of its own beside that of the environment, and shows neither", async () => {
  const list = (token: string) =>
    paste(
      `curl -sS "$LATCHKEY_URL/api/v1/operator/tenants/list" -H 'Content-Type: application/json' -H "Authorization: Bearer ${token}" -d '{}'`,
    );
  for (const token of [OPERATOR_TOKEN, "$LATCHKEY_OPERATOR_TOKEN"]) expect(await list(token)).toHaveProperty("tenants");
  const uses = () =>
    dev
      .output()
      .split("\n")
      .filter((line) => line.includes('"the operator\'s token is used"'));
  await expect.poll(uses).toHaveLength(2);
  expect(uses().map((line) => JSON.parse(line).token)).toEqual([1, 2]);

  const file = join(cwd, ".latchkey/dev/operator-token");
  const own = await readFile(file, "utf8");
  expect(own).toMatch(/^[0-9a-f]{64}$/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const exported = await readFile(envFileOf(dev), "utf8");
  expect(exported).toContain(`export LATCHKEY_OPERATOR_TOKEN='${own}'\n`);
  for (const text of [exported, dev.output()]) expect(text).not.toContain(OPERATOR_TOKEN);
  expect(dev.output()).not.toContain(own);
});

test("a publishable key of `npm run dev` is good after a restart, and where its provider's port is taken that is said", async () => {
  const own = await mkdtemp(join(tmpdir(), "latchkey-dev-"));
  onTestFinished(() => rm(own, { recursive: true, force: true }));
  await copyTemplate(inject("embeddedTemplate"), join(own, "data"));
  await chooseProviderPort(own);
  const startDev = async () => {
    const started = run("dev/main.ts", { PORT: "0", DATA_DIR: "data" }, own);
    await started.waitFor(/\/try\n/);
    return started;
  };
  const stop = async (started: Running) => {
    started.child.kill("SIGTERM");
    expect(await started.ended()).toBe(0);
  };
  const exported = async (started: Running, name: string) =>
    new RegExp(`^export ${name}='([^']+)'`, "m").exec(await readFile(envFileOf(started), "utf8"))?.[1] ?? "";
  const first = await startDev();
  const headers = {
    "x-api-key": await exported(first, "LATCHKEY_PUBLISHABLE_KEY"),
    authorization: `Bearer ${await exported(first, "LATCHKEY_USER_TOKEN")}`,
  };
  await stop(first);
  const second = await startDev();
  expect((await post(await exported(second, "LATCHKEY_URL"), "/api/v1/auth/verify", {}, headers)).status).toBe(200);
  await stop(second);
  const port = Number(await readFile(join(own, ".latchkey/dev/provider-port"), "utf8"));
  const taken = createServer().listen(port, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const third = await startDev();
  expect(third.output()).toContain(`latchkey: port ${port}, of the identity provider, is in use`);
  await stop(third);
});

/** Without them, some numbers are refused for another reason than their size. */
const STORES = { DATABASE_URL: "postgres://u@db/x", REDIS_URL: "redis://cache" };

/** What reads the environment. Some names are looked for only where another one is set. */
async function configSource(): Promise<string> {
  const files = [
    "access",
    "access-tokens",
    "config",
    "console",
    "dashboard",
    "database-url",
    "docs-url",
    "github-keys",
    "key-peppers",
    "otlp",
    "otlp-metrics",
    "overload",
    "redis",
    "resource",
    "sidecar",
    "secret-files",
    "tracing",
    "trusted-proxies",
  ];
  return (await Promise.all(files.map((file) => readText(`src/config/${file}.ts`)))).join("\n");
}

describe("the README", () => {
  test("names the two commands, and they exist", async () => {
    const readme = await readText("README.md");
    const { scripts } = JSON.parse(await readText("package.json"));
    for (const command of ["npm ci && npm run dev", "npm ci && npm test"]) expect(readme).toContain(command);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["dev", "test", "start", "migrate"]));
    expect((await readText(".ci/run")).trim().split("\n").at(-1)).toBe("npm ci && npm test");
  });

  test("leads to a line for every variable that is read, and for no other", async () => {
    const documented = [...(await readText("docs/configuration.md")).matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(
      ([, name]) => name,
    );
    const read = [...(await configSource()).matchAll(/"([A-Z]+(?:_[A-Z]+)*)"/g)].map(([, name]) => name);
    expect(documented.toSorted()).toEqual([...new Set(read)].toSorted());
  });

  test("and to the bounds of every number", async () => {
    const documented = [
      ...(await readText("docs/configuration.md")).matchAll(/^\| `([A-Z_]+)` .*?\b(\d+) to (\d+)\b/gm),
    ];
    const read = [...(await configSource()).matchAll(/integer\("([A-Z_]+)"/g)].map(([, name]) => name);
    expect(documented.map(([, name]) => name).toSorted()).toEqual(read.toSorted());
    for (const [, name = "", min, max] of documented) {
      for (const bound of [min, max]) expect(() => readConfig({ ...STORES, [name]: bound })).not.toThrow();
      for (const beyond of [Number(min) - 1, Number(max) + 1]) {
        expect(() => readConfig({ [name]: String(beyond) })).toThrow(
          `${name} must be an integer from ${min} to ${max}`,
        );
      }
    }
  });
});

test("compose.yaml passes on every variable of the documentation that it does not set itself", async () => {
  const documented = [...(await readText("docs/configuration.md")).matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(
    ([, name]) => name,
  );
  const passed = [...(await readText("compose.yaml")).matchAll(/^ {6}([A-Z_]+): \$\{\1:-\}$/gm)].map(
    ([, name]) => name,
  );
  // Where the container listens and keeps its data, and a file that it reads, needs more than a variable.
  const place = ["DATABASE_URL", "DATA_DIR", "HOST", "PGPASSWORD", "PORT", "REDIS_URL"];
  // What makes a container an edge has no place in one of the service.
  const own = [...place, "EDGE_SOCKET", "EDGE_UPSTREAM"];
  const isOwn = (name: string) => own.includes(name) || name.endsWith("_FILE");
  expect(passed.toSorted()).toEqual(documented.filter((name = "") => !isOwn(name)).toSorted());
});
