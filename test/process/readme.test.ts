import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { post } from "../harness/http.ts";
import { type Running, run } from "../harness/service-process.ts";
import { copyTemplate } from "../servers/embedded-template.ts";

const ROOT = new URL("../../", import.meta.url);

/** The commands in docs/operations.md take it from the shell that started the service. */
const OPERATOR_TOKEN = "operator-token-of-the-guide-0123456789";

let cwd: string;
let dev: Running;
let exports: string;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "latchkey-dev-"));
  dev = run("dev/main.ts", { PORT: "0", OPERATOR_TOKEN }, cwd);
  await dev.waitFor(/api-keys\/revoke.*\n/);
  exports = dev
    .output()
    .split("\n")
    .filter((line) => line.startsWith("export "))
    .join("\n");
});

afterAll(async () => {
  dev.child.kill("SIGTERM");
  await dev.ended();
  await rm(cwd, { recursive: true, force: true });
});

/** Runs lines as a newcomer pastes them, after the printed exports; answers what the last one printed. */
async function paste(lines: string) {
  // A newcomer has cloned the repository, whose `buf` npx runs.
  const { stdout } = await promisify(execFile)("bash", ["-c", `set -e\n${exports}\n${lines}`], { cwd: ROOT });
  return JSON.parse(stdout.trim());
}

async function readText(path: string): Promise<string> {
  return readFile(new URL(path, ROOT), "utf8");
}

describe("the lines that `npm run dev` prints", () => {
  test("do what they say when pasted one after the other", async () => {
    const lines = dev
      .output()
      .split("\n")
      .filter((line) => line.startsWith("curl "));
    expect(lines).toHaveLength(6);
    const [create = "", list = "", send = "", state = "", verify = "", revoke = ""] = lines;
    expect((await paste(create)).result.key).toMatch(/^sk_/);
    expect((await paste(list)).pagination.total).toBe(0);
    expect((await paste(send)).runId).toMatch(/^run_/);
    const conversation = await paste(state);
    expect(conversation.messages[1].content[0].content).toBe("You said: Hi");
    expect((await paste(list)).pagination.total).toBe(1);

    const caller = { caller: "CALLER_PUBLISHABLE_KEY", user_id: "app-user", tenant_id: "ten_dev" };
    expect(await paste(verify)).toMatchObject(caller);

    for (const block of await readmeBlocks()) expect(await paste(block)).not.toHaveProperty("code");

    const reflected = await paste(`npx buf curl --list-methods "$LATCHKEY_URL" | wc -l`);
    expect(reflected).toBeGreaterThan(14);
    expect((await paste(revoke)).result.status).toBe("KEY_STATUS_REVOKED");
    expect((await paste(list)).denial_reason).toBe("api_key_revoked");
  });
});

test("every line to paste is plain to zsh, too, which reads a comment like a command", async () => {
  const printed = dev.output().split("\n");
  const pasted = printed.slice(printed.findIndex((line) => line.startsWith("export ")));
  for (const line of pasted) expect(line).toMatch(/^(?:|export .*|# .*|curl .*)$/);
  const blocks = [...(await readText("README.md")).matchAll(/```sh\n([^`]*)```/g)].map(([, block = ""]) => block);
  const lines = [...printed, ...blocks.join("").split("\n")];
  const comments = lines.filter((line) => line.startsWith("#"));
  expect(comments.length).toBeGreaterThan(5);
  for (const comment of comments) expect(comment).toMatch(/^# [\w\s,:./-]+$/);
  const exported = lines.filter((line) => line.startsWith("export "));
  expect(exported).toHaveLength(5);
  for (const line of exported) expect(line).toMatch(/^export \w+='[^']+'$/);
});

test("the operator's commands in docs/operations.md do what they say, one after the other", async () => {
  const page = await readText("docs/operations.md");
  const section = /^## The operator\n(.*?)^## /ms.exec(page)?.[1] ?? "";
  const [make = "", ...calls] = [...section.matchAll(/```sh\n([^`]*)```/g)].map(([, block = ""]) => block);
  expect(make).toMatch(/^export OPERATOR_TOKEN="\$\(openssl rand -hex 32\)"\n$/);
  expect(calls).toHaveLength(6);
  const [create = "", find = "", revoke = "", suspend = "", eraseUser = "", eraseTenant = ""] = calls.map(
    (call) => `export OPERATOR_TOKEN='${OPERATOR_TOKEN}'\n${call}`,
  );
  const { key, key_id } = (await paste(create)).result;
  expect(await paste(find)).toMatchObject({ keys: [], pagination: { total: 0 } });
  const found = await paste(find.replace("sk_0123456", key.slice(0, 10)));
  expect(found.keys).toMatchObject([{ key_id, tenant_id: "ten_acme", name: "first key" }]);
  expect((await paste(revoke)).code).toBe("not_found");
  expect((await paste(revoke.replace("key_...", key_id))).result.status).toBe("KEY_STATUS_REVOKED");
  expect((await paste(suspend)).result).toMatchObject({ tenant_id: "ten_acme", suspension_reason: "invoice overdue" });
  expect((await paste(eraseUser)).result).toMatchObject({ user_id: "user-42", finished: true });
  expect((await paste(eraseTenant)).result).toMatchObject({ tenant_id: "ten_acme", finished: true });
  const uses = () =>
    dev
      .output()
      .split("\n")
      .filter((line) => line.includes('"the operator\'s token is used"'));
  await expect.poll(uses).toHaveLength(8);
  for (const line of uses()) expect(JSON.parse(line)).toMatchObject({ level: 40, token: 1 });
  expect(dev.output()).not.toContain(OPERATOR_TOKEN);
});

test("a publishable key of `npm run dev` is good after a restart, and where its provider's port is taken that is said", async () => {
  const own = await mkdtemp(join(tmpdir(), "latchkey-dev-"));
  onTestFinished(() => rm(own, { recursive: true, force: true }));
  await copyTemplate(inject("embeddedTemplate"), join(own, "data"));
  const startDev = async () => {
    const started = run("dev/main.ts", { PORT: "0", DATA_DIR: "data" }, own);
    await started.waitFor(/api-keys\/revoke.*\n/);
    return started;
  };
  const stop = async (started: Running) => {
    started.child.kill("SIGTERM");
    expect(await started.ended()).toBe(0);
  };
  const exported = (started: Running, name: string) =>
    new RegExp(`^export ${name}='([^']+)'`, "m").exec(started.output())?.[1] ?? "";
  const first = await startDev();
  const headers = {
    "x-api-key": exported(first, "LATCHKEY_PUBLISHABLE_KEY"),
    authorization: `Bearer ${exported(first, "LATCHKEY_USER_TOKEN")}`,
  };
  await stop(first);
  const second = await startDev();
  expect((await post(exported(second, "LATCHKEY_URL"), "/api/v1/auth/verify", {}, headers)).status).toBe(200);
  await stop(second);
  const port = Number(await readFile(join(own, ".latchkey/dev/provider-port"), "utf8"));
  const taken = createServer().listen(port, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const third = await startDev();
  expect(third.output()).toContain(`latchkey: port ${port}, of the identity provider, is in use`);
  await stop(third);
});

/** The README's curl lines, in order. */
async function readmeBlocks(): Promise<string[]> {
  const blocks = [...(await readText("README.md")).matchAll(/```sh\n([^`]*curl[^`]*)```/g)].map(
    ([, block = ""]) => block,
  );
  expect(blocks.length).toBeGreaterThanOrEqual(5);
  return blocks;
}

/** Without them, some numbers are refused for another reason than their size. */
const STORES = { DATABASE_URL: "postgres://u@db/x", REDIS_URL: "redis://cache" };

/** What reads the environment. Some names are looked for only where another one is set. */
async function configSource(): Promise<string> {
  const files = [
    "access",
    "config",
    "console",
    "dashboard",
    "database-url",
    "github-keys",
    "otlp",
    "otlp-metrics",
    "redis",
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
  const own = ["DATABASE_URL", "DATA_DIR", "HOST", "PGPASSWORD", "PORT", "REDIS_URL"];
  const isOwn = (name: string) => own.includes(name) || name.endsWith("_FILE");
  expect(passed.toSorted()).toEqual(documented.filter((name = "") => !isOwn(name)).toSorted());
});
