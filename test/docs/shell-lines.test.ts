import { glob, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type Running, run } from "../harness/service-process.ts";
import { copyTemplate } from "../servers/embedded-template.ts";
import { openPageShell, type PageShell } from "./page-shell.ts";
import { type Printed, type ShellBlock, shellBlocksOf, statedStatus } from "./shell-blocks.ts";

/**
 * Every shell block of every page is run as a reader pastes it: one `npm run dev` for all pages, one shell for each page,
 * its blocks in order. What cannot be run stands in docs/testing.md with the reason.
 */

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SKIPPED = ["**/node_modules/**", "**/dist/**", "**/.build/**", "third_party/**", "bench/**", "artifacts/**"];
/** A row of the table in docs/testing.md: a page, which of its blocks, and why. */
const ROW = /^\| \[([^\]]+)\]\([^)]+\) +\| (all|marked) +\| (.+?) +\|$/gm;
/** What pages show of keys, tenants and other ids: their kind, and `...`. */
const PLACEHOLDER = /\b([a-z]+)_\.\.\./g;

const blocksOf = new Map<string, readonly ShellBlock[]>();
for await (const path of glob("**/*.md", { cwd: ROOT, exclude: SKIPPED })) {
  const blocks = shellBlocksOf(await readFile(join(ROOT, path), "utf8"));
  if (blocks.length > 0) blocksOf.set(path, blocks);
}
const excused = new Map(
  [...(await readFile(join(ROOT, "docs/testing.md"), "utf8")).matchAll(ROW)].map(
    ([, path = "", which = "", reason = ""]) => [path, { which, reason }] as const,
  ),
);
/** Of each page that is followed, what is pasted. */
const followed = [...blocksOf]
  .filter(([path]) => excused.get(path)?.which !== "all")
  .map(([path, blocks]) => [path, blocks.filter(({ isMarked }) => !isMarked)] as const)
  .filter(([, blocks]) => blocks.length > 0);

let cwd: string;
let dev: Running;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "latchkey-pages-"));
  await copyTemplate(inject("embeddedTemplate"), join(cwd, "data"));
  dev = run("dev/main.ts", { PORT: "0", DATA_DIR: "data" }, cwd);
  await dev.waitFor(/\/try\n/);
});
afterAll(async () => {
  dev.child.kill("SIGTERM");
  await dev.ended();
  await rm(cwd, { recursive: true, force: true });
});

test("every page with a block that is not run is listed with the reason, and every listed one has such a block", () => {
  const marked = [...blocksOf].filter(([, blocks]) => blocks.some(({ isMarked }) => isMarked)).map(([path]) => path);
  const listed = [...excused].filter(([, { which }]) => which === "marked").map(([path]) => path);
  expect(listed.toSorted()).toEqual(marked.toSorted());
  const left = [...excused].filter(([, { which }]) => which === "all").map(([path]) => path);
  expect([...blocksOf.keys()]).toEqual(expect.arrayContaining(left));
});

test("where another test is the reason, that test names the page or its folder", async () => {
  for (const [path, { reason }] of excused) {
    const named = path.endsWith("README.md") ? dirname(path) : basename(path);
    for (const [, file = ""] of reason.matchAll(/`(test\/[\w./-]+\.ts)`/g))
      expect(await readFile(join(ROOT, file), "utf8"), file).toContain(named);
  }
});

test("every line to paste is plain to zsh, too, which reads a comment like a command", () => {
  const lines = followed.flatMap(([, blocks]) => blocks.flatMap(({ commands }) => commands.trimEnd().split("\n")));
  expect(lines.length).toBeGreaterThan(80);
  for (const line of lines) expect(line).not.toMatch(/(?:^|\s)#|!/);
});

test("no page sets a variable of env.sh, which the next page in the same terminal would miss", () => {
  for (const [path, blocks] of followed)
    for (const { commands } of blocks) expect(commands, path).not.toMatch(/^(?:export )?LATCHKEY_\w+=/m);
});

test("README, guides and the clients' READMEs are among the pages", () => {
  expect([...blocksOf.keys()]).toEqual(
    expect.arrayContaining(["README.md", "docs/guides/first-call.md", "clients/typescript/README.md"]),
  );
  expect(followed.length).toBeGreaterThan(14);
});

describe.each(followed)("%s", (path, blocks) => {
  let shell: PageShell;
  beforeAll(async () => {
    shell = await openPageShell(cwd);
  });
  afterAll(() => shell.close());

  test("does what it says, line by line", async () => {
    const shown = new Map<string, string>();
    for (const block of blocks) {
      const commands = block.commands.replaceAll(PLACEHOLDER, (text, kind) => shown.get(kind) ?? text);
      const where = `${path}:${block.line}: ${commands}`;
      const { stdout, calls } = await shell.paste(commands);
      const stated = statedStatus(block);
      const isLast = (index: number): boolean => index === calls.length - 1;
      for (const [index, { status, args }] of calls.entries()) {
        const what = `${where}: ${args}: ${stdout}`;
        if (stated !== undefined && isLast(index)) expect(status, what).toBe(stated);
        else expect(status >= 200 && status < 300 ? "2xx" : status, what).toBe("2xx");
      }
      if (block.printed !== undefined) expectPrinted(stdout, block.printed, where);
      for (const [, value = "", kind = ""] of stdout.matchAll(/"(([a-z]+)_[^"]{20,})"/g)) shown.set(kind, value);
    }
  });
});

test("no page leaves the variables of env.sh unusable for those after it", async () => {
  const shell = await openPageShell(cwd);
  const verify = (credentials: string): string =>
    `curl -sS "$LATCHKEY_URL/api/v1/auth/verify" ${credentials} -H 'Content-Type: application/json' -d '{}'\n`;
  const { calls } = await shell.paste(
    [
      verify('-H "X-API-Key: $LATCHKEY_KEY"'),
      verify('-H "X-API-Key: $LATCHKEY_PUBLISHABLE_KEY" -H "Authorization: Bearer $LATCHKEY_USER_TOKEN"'),
      verify('-H "Authorization: Bearer $LATCHKEY_TOKEN"'),
    ].join(""),
  );
  expect(calls.map(({ status }) => status)).toEqual([200, 200, 200]);
  await shell.close();
});

function expectPrinted(stdout: string, { kind, text }: Printed, where: string): void {
  if (kind === "text") expect(stdout, where).toBe(text);
  else expectLike(JSON.parse(stdout), JSON.parse(text), kind === "sample", where);
}

/**
 * Pages show some members, the first objects of a list, and `...` for what differs each time. Of a sample the members and
 * their types are compared.
 */
function expectLike(actual: unknown, shown: unknown, isSample: boolean, where: string): void {
  if (Array.isArray(shown) && (isSample || typeof shown[0] === "object")) {
    expect(actual, where).toBeInstanceOf(Array);
    const items: readonly unknown[] = Array.isArray(actual) ? actual : [];
    const compared = isSample ? shown.slice(0, Math.min(1, items.length)) : shown;
    for (const [index, item] of compared.entries()) expectLike(items[index], item, isSample, `${where}[${index}]`);
  } else if (Array.isArray(shown)) {
    expect(actual, where).toEqual(shown);
  } else if (typeof shown === "object" && shown !== null) {
    expect(actual, where).toBeTypeOf("object");
    for (const [member, value] of Object.entries(shown))
      expectLike((actual as Record<string, unknown>)[member], value, isSample, `${where}.${member}`);
  } else if (isSample) {
    expect(actual, where).toBeTypeOf(typeof shown as "string");
  } else if (typeof shown === "string" && shown.includes("...")) {
    const parts = shown.split("...").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    expect(actual, where).toMatch(new RegExp(`^${parts.join(".*")}$`));
  } else {
    expect(actual, where).toEqual(shown);
  }
}
