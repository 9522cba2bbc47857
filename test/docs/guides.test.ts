import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type Running, run } from "../harness/service-process.ts";
import { copyTemplate } from "../servers/embedded-template.ts";

const GUIDES = new URL("../../docs/guides/", import.meta.url);
const TOKEN_COMMAND = fileURLToPath(new URL("../../src/dev/token.ts", import.meta.url));
/** A block of commands, and what the page says that they print, if it does. */
const BLOCKS = /```sh\n([^`]*)```\n(?:\n```(json|text)\n([^`]*)```)?/g;
/** What the page shows of keys and ids. */
const PLACEHOLDER = /(sk|pk|key)_\.\.\./g;

/** Each page is followed from its first line to its last, after `npm run dev` and the line that it prints. */
describe.each(["first-call", "app", "guard", "rotation", "impersonation"])("docs/guides/%s.md", (name) => {
  let cwd: string;
  let dev: Running;
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), "latchkey-guide-"));
    await copyTemplate(inject("embeddedTemplate"), join(cwd, "data"));
    dev = run("dev/main.ts", { PORT: "0", DATA_DIR: "data" }, cwd);
    await dev.waitFor(/\/try\n/);
  });
  afterAll(async () => {
    dev.child.kill("SIGTERM");
    await dev.ended();
    await rm(cwd, { recursive: true, force: true });
  });

  test("does what it says", async () => {
    const page = await readFile(new URL(`${name}.md`, GUIDES), "utf8");
    const blocks = [...page.matchAll(BLOCKS)];
    expect(blocks.length).toBeGreaterThan(1);
    let before = ". .latchkey/dev/env.sh\n";
    let shown: Record<string, string> = {};
    for (const [, commands = "", language, printed = ""] of blocks) {
      const filled = commands.replaceAll(PLACEHOLDER, (text, kind) => shown[kind] ?? text);
      const output = await paste(before, filled, cwd);
      if (language === "json") expectLike(JSON.parse(output), JSON.parse(printed), commands);
      if (language === "text") expect(output).toBe(printed);
      if (language === "json") shown = secretsOf(output);
      // What only sets variables goes before all later commands.
      if (/^\w+=\S+\n$/.test(filled)) before += filled;
    }
  });
});

async function paste(before: string, commands: string, cwd: string): Promise<string> {
  const here = commands.replaceAll(/npm run -s dev:token --/g, `node '${TOKEN_COMMAND}'`);
  return (await promisify(execFile)("bash", ["-c", `set -e\n${before}${here}`], { cwd })).stdout;
}

/** A key's value by how it begins, for the line in which the reader puts it. */
function secretsOf(output: string): Record<string, string> {
  return Object.fromEntries(
    [...output.matchAll(/"((sk|pk)_[^"]{20,})"/g)].map(([, value = "", kind = ""]) => [kind, value]),
  );
}

/** The page shows some members, and `...` for what differs each time. */
function expectLike(actual: unknown, shown: unknown, commands: string): void {
  if (typeof shown === "string" && shown.includes("...")) {
    const parts = shown.split("...").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    expect(actual, commands).toMatch(new RegExp(`^${parts.join(".*")}$`));
  } else if (typeof shown === "object" && shown !== null && !Array.isArray(shown)) {
    expect(actual, commands).toBeTypeOf("object");
    for (const [member, value] of Object.entries(shown)) {
      expectLike((actual as Record<string, unknown>)[member], value, `${commands}${member}`);
    }
  } else {
    expect(actual, commands).toEqual(shown);
  }
}
