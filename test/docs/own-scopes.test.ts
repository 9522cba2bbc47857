import { glob, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";

const DOCS = new URL("../../docs/", import.meta.url);
/** A scope that a sentence about the file names. */
const NAMED = /`SCOPES_FILE`[^.]*?`([a-z_]+:[a-z_]+)`/g;
/** A list of scopes in a block. */
const BLOCK = /^```json\n(\[\{ "name".*?)^```$/gms;

/** The contents of `SCOPES_FILE` that a page shows or names. */
function filesOf(page: string): string[] {
  const named = Array.from(page.matchAll(NAMED), ([, name]) => JSON.stringify([{ name, description: "Read." }]));
  return [...named, ...Array.from(page.matchAll(BLOCK), ([, block = ""]) => block)];
}

test("the service starts with each scope that a page adds to SCOPES_FILE", async () => {
  const folder = await mkdtemp(join(tmpdir(), "own-scopes-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const pages: string[] = [];
  for await (const name of glob("**/*.md", { cwd: DOCS })) {
    for (const content of filesOf(await readFile(new URL(name, DOCS), "utf8"))) {
      const path = join(folder, "scopes.json");
      await writeFile(path, content);
      expect(
        () => readConfig({ SCOPES_FILE: path, DATABASE_URL: "postgres://127.0.0.1/latchkey" }),
        name,
      ).not.toThrow();
      pages.push(name);
    }
  }
  expect(pages).toEqual(expect.arrayContaining(["authorization.md", "guides/production.md"]));
});
