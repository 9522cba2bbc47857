import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandNodes, optionValues } from "../../src/cli/completion/command-tree.ts";
import { processTerminal } from "../../src/cli/output/terminal.ts";
import { createProgram } from "../../src/cli/program.ts";
import { LATCHKEY, succeed } from "./command-line.ts";
import { type CommandTarget, startTarget } from "./services.ts";

const DOCS = new URL("../../docs/", import.meta.url);
const program = createProgram({ env: {}, terminal: processTerminal() });

let guide: string;
let privileges: string;
let target: CommandTarget;
/** A folder with `latchkey`, as the image has one in its PATH. */
let bin: string;
beforeAll(async () => {
  guide = await readFile(new URL("guides/command-line.md", DOCS), "utf8");
  privileges = await readFile(new URL("least-privilege.md", DOCS), "utf8");
  target = await startTarget("the embedded store");
  bin = await mkdtemp(join(tmpdir(), "latchkey-bin-"));
  await symlink(LATCHKEY, join(bin, "latchkey"));
});
afterAll(async () => {
  await target.close();
  await rm(bin, { recursive: true, force: true });
});

test("the guide names every command that there is, and no other", () => {
  const nodes = commandNodes(program);
  const groups = nodes.filter(({ commands }) => commands.length > 0).map(({ path }) => path);
  // A group that does something by itself.
  const commands = nodes.map(({ path }) => path).filter((path) => path === "dev" || !groups.includes(path));
  const [, section = ""] = /^## Commands\n(.*?)^`--/ms.exec(guide) ?? [];
  const named = [...section.matchAll(/`([a-z -]+)`/g)].map(([, name]) => name);
  expect(named.sort()).toEqual(commands.sort());
});

test("the guide names no option that there is not", () => {
  const known = new Set(["--help", ...commandNodes(program).flatMap(({ options }) => options.map(({ word }) => word))]);
  const named = [...`${guide}${privileges}`.matchAll(/(?<=[\s`])--[a-z][a-z-]+/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(10);
  for (const name of named) expect(known).toContain(name);
  expect(optionValues(program).map(({ flag }) => flag)).not.toContain("--token");
});

test("the guide's commands do what they say, one after the other, in a shell that finds the command in its PATH", async () => {
  const blocks = [...guide.matchAll(/```sh\n([^`]*)```/g)].map(([, block = ""]) => block);
  expect(blocks).toHaveLength(3);
  const PATH = `${bin}:${dirname(process.execPath)}:${process.env.PATH}`;
  const options = { env: { PATH, ...target.operator }, cwd: bin };
  const { stdout, stderr } = await promisify(execFile)("bash", ["--norc", "-ec", blocks.join("\n")], options);
  const lines = stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^caller +secret_key$/);
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ tenants: [{ tenant_id: "ten_acme", key_count: 1 }] });
  expect(stderr).toMatch(/^key_id /);
});

test("docs/least-privilege.md has what the command prints", async () => {
  const blocks = [...privileges.matchAll(/<!-- latchkey (privileges .*?) -->\n\n```\w*\n([^`]*)```/g)];
  expect(blocks).toHaveLength(3);
  for (const [, command = "", block] of blocks) {
    expect(block, command).toBe((await succeed(command.split(" "))).stdout);
  }
});
