// promise: errors.messages
import { readFile } from "node:fs/promises";
import type { DescEnum } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { DENIALS } from "../../src/domain/vocabulary/denial.ts";
import { ERROR_REASONS } from "../../src/domain/vocabulary/error-reason.ts";
import { DENIAL_MARKS, pageOf, withSections } from "../../tools/protoc-gen-errors/page.ts";
import { rowsOf, TABLES } from "../../tools/protoc-gen-errors/rows.ts";
import { compile, projectFiles } from "./compile.ts";

const PAGE = new URL("../../docs/errors.md", import.meta.url);
const COMMENTS = Object.entries(DENIALS).map(([reason, { status, remedy }]) => ({ reason, status, remedy }));

function enumOf(enums: readonly DescEnum[]): DescEnum {
  const found = enums.find(({ name }) => name === "DenialReason");
  if (found === undefined) throw new Error("no enum DenialReason");
  return found;
}

/** The enum as it should be, but for what a test changes. */
async function otherReasons(change: (line: (typeof COMMENTS)[number]) => string | undefined): Promise<DescEnum> {
  const values = COMMENTS.map((line, index) => {
    const comment = change(line) ?? `${line.status}. Cause.\n\nRemedy: ${line.remedy}.`;
    const lines = comment.split("\n").map((text) => `  // ${text}\n`);
    return `${lines.join("")}  DENIAL_REASON_${line.reason.toUpperCase()} = ${index + 1};\n`;
  });
  const zero = "// Never sent.\n  DENIAL_REASON_UNSPECIFIED = 0;\n";
  const file = await compile(`// Why.\nenum DenialReason {\n  ${zero}${values.join("")}}\n`);
  return enumOf(file.enums);
}

describe("docs/errors.md", () => {
  test("is generated from the protos", async () => {
    const page = await readFile(PAGE, "utf8");
    const enums = (await projectFiles()).flatMap((file) => file.enums);
    expect(pageOf(page, enums)).toBe(page);
    expect(() => pageOf(page, [])).toThrow("no enum DenialReason");
  });

  test("has a section of every reason with code, status, cause and remedy, and a line of the table, once", async () => {
    const page = await readFile(PAGE, "utf8");
    for (const [reason, { code, status }] of Object.entries({ ...DENIALS, ...ERROR_REASONS })) {
      const rows = page.split("\n").filter((line) => line.startsWith(`| [\`${reason}\`](#${reason}) `));
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatch(new RegExp(`\\| ${status} +\\| \`${code}\` +\\|$`));
      const [, section = "", ...more] = page.split(`\n### \`${reason}\`\n\n`);
      expect(more).toEqual([]);
      expect(section).toMatch(
        new RegExp(`^${status} \`${code}\`\\. [A-Z\\d].+\\.\n\n\\*\\*Remedy:\\*\\* [A-Z].+\\.\n`),
      );
    }
  });

  test("keeps the text around the denials", () => {
    const { begin, end } = DENIAL_MARKS;
    expect(withSections(`above\n${begin}\nold\n${end}\nbelow\n`, DENIAL_MARKS, "new")).toBe(
      `above\n${begin}\n\nnew\n\n${end}\nbelow\n`,
    );
    expect(() => withSections(`${end}\n${begin}`, DENIAL_MARKS, "new")).toThrow("lacks the lines");
  });
});

describe("no page is generated if proto and service differ:", () => {
  test.each([
    ["another status", "403. Cause.\n\nRemedy: wait.", "is 403 in the proto, but 429"],
    ["no remedy", "429. Cause.", 'is not "<status>. <cause>"'],
    ["no status", "Cause.\n\nRemedy: wait.", 'is not "<status>. <cause>"'],
    ["another remedy", "429. Cause.\n\nRemedy: give up.", "begins with another verb"],
  ])("%s", async (_what, comment, message) => {
    const changed = await otherReasons(({ reason }) => (reason === "rate_limited" ? comment : undefined));
    expect(() => rowsOf(changed, TABLES.DenialReason)).toThrow(message);
  });

  test("a reason that the proto lacks", async () => {
    const whole = await otherReasons(() => undefined);
    expect(rowsOf(whole, TABLES.DenialReason)).toHaveLength(COMMENTS.length);
    const without = { ...whole, values: whole.values.filter(({ name }) => name !== "DENIAL_REASON_RATE_LIMITED") };
    expect(() => rowsOf(without, TABLES.DenialReason)).toThrow("DenialReason lacks rate_limited");
  });
});

describe("the message of a denial", () => {
  test("has the cause and then the remedy, in one sentence that no other reason has", () => {
    const sentences = Object.values(DENIALS).map(({ sentence }) => sentence);
    expect(new Set(sentences).size).toBe(sentences.length);
    for (const { sentence, remedy } of Object.values(DENIALS)) {
      expect(sentence).toMatch(/^[A-Z][^;]+; [a-z][^;]+\.$/);
      expect(sentence.endsWith(`; ${remedy}.`)).toBe(true);
    }
  });
});
