import { readFile } from "node:fs/promises";
import type { DescEnum } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { DENIALS } from "../../src/domain/denial.ts";
import { TRANSPORT_FAULTS } from "../../src/transport/answer/envelope.ts";
import { withSections } from "../../tools/protoc-gen-errors/page.ts";
import { rowsOf } from "../../tools/protoc-gen-errors/rows.ts";
import { markdownSections } from "../../tools/protoc-gen-errors/sections.ts";
import { compile, projectFiles } from "./compile.ts";

const PAGE = new URL("../../docs/errors.md", import.meta.url);
const COMMENTS = Object.entries(DENIALS).map(([reason, { status, remedy }]) => ({ reason, status, remedy }));

async function reasons(): Promise<DescEnum> {
  return enumOf((await projectFiles()).flatMap(({ enums }) => enums));
}

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
  test("is generated from the proto", async () => {
    const page = await readFile(PAGE, "utf8");
    expect(withSections(page, markdownSections(rowsOf(await reasons())))).toBe(page);
  });

  test("has a section of every reason with code, status, cause and remedy, and a line of the table, once", async () => {
    const page = await readFile(PAGE, "utf8");
    for (const [reason, { code, status }] of Object.entries(DENIALS)) {
      const rows = page.split("\n").filter((line) => line.startsWith(`| [\`${reason}\`](#${reason}) `));
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatch(new RegExp(`\\| ${status} +\\| \`${code}\` +\\|$`));
      const [, section = "", ...more] = page.split(`\n### \`${reason}\`\n\n`);
      expect(more).toEqual([]);
      expect(section).toMatch(new RegExp(`^${status} \`${code}\`\\. [A-Z].+\\.\n\n\\*\\*Remedy:\\*\\* [A-Z].+\\.\n`));
    }
  });

  test("has every fault of the transport, with its code", async () => {
    const rows = (await readFile(PAGE, "utf8")).split("\n").filter((line) => /^\| \d{3} /.test(line));
    for (const { status, code } of Object.values(TRANSPORT_FAULTS)) {
      expect(rows.filter((row) => row.startsWith(`| ${status} `) && row.includes(`\`${code}\``))).toHaveLength(1);
    }
  });

  test("keeps the text around the denials", () => {
    const marks = [
      "<!-- The denials are made from proto/latchkey/v1/denial.proto: edit them there, then run npm run generate. -->",
      "<!-- End of the denials. -->",
    ];
    const [begin, end] = marks;
    expect(withSections(`above\n${begin}\nold\n${end}\nbelow\n`, "new")).toBe(
      `above\n${begin}\n\nnew\n\n${end}\nbelow\n`,
    );
    expect(() => withSections(`${end}\n${begin}`, "new")).toThrow("lacks the lines");
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
    expect(() => rowsOf(changed)).toThrow(message);
  });

  test("a reason that the proto lacks", async () => {
    const whole = await otherReasons(() => undefined);
    expect(rowsOf(whole)).toHaveLength(COMMENTS.length);
    const without = { ...whole, values: whole.values.filter(({ name }) => name !== "DENIAL_REASON_RATE_LIMITED") };
    expect(() => rowsOf(without)).toThrow("DenialReason lacks rate_limited");
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
