import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const FOLDER = new URL("../../docs/adr/", import.meta.url);
const WORDS_MAX = 300;
const STUB_WORDS_MAX = 10;
const files = (await readdir(FOLDER)).filter((name) => /^\d/.test(name)).sort();
const pages = await Promise.all(
  files.map(async (name) => [name, await readFile(new URL(name, FOLDER), "utf8")] as const),
);

test("no two decisions have one number", () => {
  expect(new Set(files.map((name) => name.slice(0, 4))).size).toBe(files.length);
});

test.each(pages)("%s has its number, a date, a status, and its three parts", (name, page) => {
  const [title, , facts, ...body] = page.trimEnd().split("\n");
  expect(title).toMatch(new RegExp(`^# ${Number(name.slice(0, 4))}\\. \\w`));
  expect(facts).toMatch(/^Date: \d{4}-\d{2}-\d{2} · Status: (?:accepted|superseded by \[ADR \d+\])/);
  const isSuperseded = facts?.includes("superseded by");
  expect([...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual(
    isSuperseded ? [] : ["Context", "Decision", "Consequences"],
  );
  const words = body
    .join(" ")
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
  expect(words.length).toBeLessThanOrEqual(isSuperseded ? STUB_WORDS_MAX : WORDS_MAX);
});

test("the index lists every decision by its title", async () => {
  const index = await readFile(new URL("README.md", FOLDER), "utf8");
  const listed = [...index.matchAll(/^- (.*)$/gm)].map(([, line]) => line);
  const titles = pages.map(([name, page]) => `[${/^# (.*)$/m.exec(page)?.[1]}](${name})`);
  expect(listed).toEqual(titles);
});
