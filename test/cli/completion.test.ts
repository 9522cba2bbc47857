import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { succeed } from "./command-line.ts";

const run = promisify(execFile);

let script: string;
beforeAll(async () => {
  script = (await succeed(["completion", "bash"])).stdout;
});

/** What bash offers for the last of the words. */
async function offered(...words: string[]): Promise<string[]> {
  const state = `COMP_WORDS=(latchkey ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}`;
  const print = `printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run("bash", ["--norc", "-c", `${script}\n${state}; _latchkey; ${print}`]);
  return stdout.split("\n").filter((line) => line !== "");
}

test("bash completes commands, those of a group, and options by their beginnings", async () => {
  expect(await offered("")).toEqual(expect.arrayContaining(["keys", "orgs", "operator", "doctor", "serve", "--json"]));
  expect(await offered("ke")).toEqual(["keys"]);
  expect(await offered("keys", "re")).toEqual(["revoke"]);
  expect(await offered("operator", "tenants", "s")).toEqual(["suspend"]);
  expect(await offered("operator", "keys", "create", "--ten")).toEqual(["--tenant"]);
  expect(await offered("keys", "create", "--ra")).toEqual(["--rate-limit"]);
});

test("an option that stands before the command hides none of its commands", async () => {
  expect(await offered("--json", "--url", "https://example.test", "keys", "ro")).toEqual(["rotate"]);
});

test("bash completes the values of an option, also files, and none where it cannot know them", async () => {
  expect(await offered("keys", "list", "--status", "")).toEqual(["active", "expired", "disabled", "revoked"]);
  expect(await offered("webhooks", "deliveries", "--status", "")).toEqual(["pending", "delivered", "failed"]);
  expect(await offered("keys", "list", "--token-file", "/etc/host")).toContain("/etc/hosts");
  expect(await offered("keys", "create", "--name", "")).toEqual([]);
});

test("every command that there is, is offered", async () => {
  const files = await readdir(new URL("../../src/cli/commands/", import.meta.url));
  const sources = await Promise.all(
    files.map((name) => readFile(new URL(`../../src/cli/commands/${name}`, import.meta.url), "utf8")),
  );
  const groups = sources.flatMap((source) => [...source.matchAll(/addGroup\(\w+, "(\w+)"/g)].map(([, name]) => name));
  expect(groups.length).toBeGreaterThan(8);
  for (const group of groups) expect(script).toContain(`${group}") words=`);
});

test("the script is loaded by bash as the help says, without an error", async () => {
  const { stdout, stderr } = await run("bash", [
    "--norc",
    "-c",
    `source <(cat <<'END'\n${script}\nEND\n); complete -p latchkey`,
  ]);
  expect({ stdout, stderr }).toEqual({ stdout: "complete -o filenames -F _latchkey latchkey\n", stderr: "" });
});
