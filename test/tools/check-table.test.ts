import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { expect, test } from "vitest";
import { CHECKS } from "../../src/domain/access/checks.ts";
import { DENIALS, type DenialReason } from "../../src/domain/vocabulary/denial.ts";
import { GENERATED } from "../../tools/check-table/pages.ts";

/** Without words that mean other things elsewhere, too. */
const NAMES = new Set(CHECKS.map(({ name }) => name).filter((name) => name !== "key" && name !== "token"));
/** Names in one list, which have commas, spaces or members between them. */
const LIST = new RegExp(`(?:"(?:${[...NAMES].join("|")})"[^"]{1,40}){3}`);

test.each(GENERATED)("$page.pathname is what npm run generate writes", ({ page, write }) => {
  const text = readFileSync(page, "utf8");
  expect(text).toBe(write(text));
});

test("the order of checks stands in one place of the source", async () => {
  const elsewhere: string[] = [];
  for await (const path of glob("src/**/*.ts", { exclude: ["**/*.test.ts"] }))
    if (path !== "src/domain/access/checks.ts" && LIST.test(readFileSync(path, "utf8"))) elsewhere.push(path);
  expect(elsewhere).toEqual([]);
  expect(LIST.test(`type Check = "status" | "source" | "oidc" | "scope";`)).toBe(true);
});

test("each reason of a denial belongs to one check", () => {
  const reasons = CHECKS.flatMap((check): readonly DenialReason[] => check.reasons);
  expect(reasons.toSorted()).toEqual(Object.keys(DENIALS).toSorted());
});
