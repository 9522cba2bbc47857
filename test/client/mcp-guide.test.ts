import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Running, run } from "../harness/service-process.ts";
import { copyTemplate } from "../servers/embedded-template.ts";
import { EXAMPLE, type McpProject, openMcpProject } from "./mcp-example.ts";
import { checkTypes } from "./packed.ts";

const GUIDE = new URL("../../docs/guides/mcp.md", import.meta.url);
const TOKEN_COMMAND = fileURLToPath(new URL("../../src/dev/token.ts", import.meta.url));
const BLOCK = /```(\w+)\n([\s\S]*?)```/g;
/** What the page's server is for. Ours has another port. */
const RESOURCE_URL = "http://127.0.0.1:9000/mcp";

let project: McpProject;
let cwd: string;
let dev: Running;
let blocks: { language: string; text: string }[];

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "latchkey-mcp-"));
  await copyTemplate(inject("embeddedTemplate"), join(cwd, "data"));
  dev = run("dev/main.ts", { PORT: "0", DATA_DIR: "data" }, cwd);
  [project] = await Promise.all([openMcpProject(), dev.waitFor(/\/try\n/)]);
  blocks = [...(await readFile(GUIDE, "utf8")).matchAll(BLOCK)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
});

afterAll(async () => {
  await project?.close();
  dev.child.kill("SIGTERM");
  await dev.ended();
  await rm(cwd, { recursive: true, force: true });
});

/** Runs lines as a reader pastes them, after the line that `npm run dev` prints. */
async function paste(lines: string): Promise<string> {
  const own = lines.replaceAll("npm run -s dev:token --", `cd '${cwd}' && '${process.execPath}' '${TOKEN_COMMAND}'`);
  const script = `set -e\n. '${cwd}/.latchkey/dev/env.sh'\n${own}`;
  const { stdout } = await promisify(execFile)("bash", ["-c", script], { cwd: project.project });
  return stdout;
}

/** The variables that a line begins with, besides the port. */
const variablesOf = (line: string): Record<string, string> =>
  Object.fromEntries(
    [...line.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value] as const),
  );

test("has the example's server, whose types are right", async () => {
  const [server] = blocks.filter(({ language }) => language === "ts");
  expect(server?.text).toBe(await readFile(join(EXAMPLE, "server.ts"), "utf8"));
  await writeFile(join(project.project, "server.ts"), server?.text ?? "");
  // The SDK's own types are not for this option.
  await checkTypes(project.packed, join(project.project, "server.ts"), {
    skipLibCheck: true,
    exactOptionalPropertyTypes: false,
  });
});

test("names the versions that the example has", async () => {
  const { dependencies } = JSON.parse(await readFile(join(EXAMPLE, "package.json"), "utf8"));
  const [install] = blocks.filter(({ language }) => language === "sh");
  const packages = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`);
  expect(install?.text).toBe(`npm i ${packages.join(" ")}\n`);
});

test("does what it says, line by line", async () => {
  await copyFile(join(EXAMPLE, "server.ts"), join(project.project, "server.ts"));
  const followed = blocks.slice(blocks.findIndex(({ language }) => language === "sh") + 1);
  const [archive, server, ...calls] = followed.filter(({ language }) => ["sh", "text", "json"].includes(language));
  const archivePort = await project.serve("archive.mjs", variablesOf(archive?.text ?? ""));
  expect(archive?.text).toMatch(/ node archive\.mjs\n$/);
  expect(server?.text).toMatch(/ node server\.ts\n$/);
  const exported = Object.fromEntries(
    (await paste("env")).split("\n").flatMap((line) => (line.startsWith("LATCHKEY_") ? [line.split(/=(.*)/s, 2)] : [])),
  );
  const port = await project.serve("server.ts", {
    ...exported,
    ...variablesOf(server?.text ?? ""),
    ARCHIVE_URL: `http://127.0.0.1:${archivePort}`,
    RESOURCE_URL,
  });
  const outcomes: string[] = [];
  for (const [n, { language, text }] of calls.entries()) {
    if (language !== "sh") continue;
    const stdout = await paste(
      text.replaceAll(/(curl [^\n]*?)http:\/\/127\.0\.0\.1:9000/g, `$1http://127.0.0.1:${port}`),
    );
    const printed = calls[n + 1];
    if (printed?.language === "json") {
      const wanted = JSON.parse(printed.text.replace("http://127.0.0.1:...", String(exported.LATCHKEY_ISSUER)));
      expect(JSON.parse(stdout), text).toEqual(wanted);
    } else expect(stdout, text).toBe(printed?.text);
    outcomes.push(stdout);
  }
  expect(outcomes).toHaveLength(4);
});
