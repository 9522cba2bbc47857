// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code
import { expect, test } from "vitest";
import { countProse, findProse } from "../../tools/prose/count.ts";
import { findingsIn, isLong } from "../../tools/prose/patterns.ts";
import { comments, commentsAndStrings, prose, sentences, titles } from "../../tools/prose/texts.ts";
import { excess, PROSE_LEDGER, readLedger } from "../../tools/weight/ledger.ts";

test("no group has more findings than bench/prose.json allows", () => {
  expect(excess(countProse(findProse()), readLedger(PROSE_LEDGER))).toEqual([]);
});

test.each([
  ["A key works for its tenant alone.", ["t alone"]],
  ["The key alone decides.", []],
  ["That is no denial, and there is no need.", ["is no d"]],
  ["It has three, none of them new.", [", none of"]],
  [
    "What is slow on a busy machine has no limit.",
    ["What is slow on a busy machine has no limit.", "on a busy machine"],
  ],
  ["What happens if a key is revoked?", []],
  ["What may a key have that is old?", []],
  ["Everything but for the erasure is done.", ["but for"]],
  ["A token stands for a key.", ["stands for a key"]],
  ["Nobody is told anew.", ["Nobody", "told", "anew"]],
  ["A revoked key stays revoked.", []],
])("finds in %j: %j", (sentence, found) => {
  expect(findingsIn(sentence)).toEqual(found);
});

test("a sentence of more than 35 words is long", () => {
  expect([35, 36].map((words) => isLong(`${"word ".repeat(words)}.`))).toEqual([false, true]);
});

test("reads comments and messages of sources, without code", () => {
  const source = [
    "/** Tells `x alone`. */",
    'const a = "one message"; // Two',
    "// lines.",
    "const b = `of ${c.d} keys`;",
    'const name = "plain";',
  ].join("\n");
  expect(commentsAndStrings("a.ts", source).map(({ text }) => text.trim())).toEqual([
    "Tells X.",
    "one message",
    "Two\n lines.",
    "of X keys",
  ]);
  expect(comments("a.proto", "// One.\n//\n// Two.\n").map(({ text }) => text.trim())).toEqual(["One.", "Two."]);
});

test("reads titles of tests, also behind a table", () => {
  const source = 'test.each([\n  1,\n])("a %s key", () => {\n  call("no title");\n});\ndescribe("keys", () => {});';
  expect(titles("a.test.ts", source).map(({ text }) => text)).toEqual(["a X key", "keys"]);
});

test("reads paragraphs, items and cells of pages, without fences", () => {
  const page = "# Title\n\nOne\ntwo. Three.\n\n```sh\nrun alone.\n```\n\n- four\n- five\n\n| six | seven |\n";
  const parts = prose("a.md", page).flatMap(({ text }) => sentences(text));
  expect(parts.filter((part) => part !== "")).toEqual(["Title", "One two.", "Three.", "four", "five", "six", "seven"]);
});
