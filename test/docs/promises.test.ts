// promise: keys.shape
import { readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { makeSecret, SECRET_PATTERN, secretForm } from "../../src/domain/credentials/secret.ts";
import { idsOf } from "../../tools/trace/pages.ts";
import { readTags } from "../../tools/trace/tags.ts";

const PAGE = new URL("../../docs/promises.md", import.meta.url);
const page = await readFile(PAGE, "utf8");
/** The digits that `0-9A-Za-z` stands for. */
const BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The group of a pattern that the page matches exactly once. */
function onlyMatch(pattern: RegExp): string {
  const found = [...page.matchAll(pattern)].map(([, text = ""]) => text);
  expect(found).toHaveLength(1);
  return found[0] ?? "";
}

describe("docs/promises.md gives secret scanners", () => {
  const pattern = onlyMatch(/^```\n(.*)\n```$/gm);
  const secrets = Array.from({ length: 1_000 }, (_, n) => makeSecret(n % 2 === 0 ? "secret" : "publishable"));
  const branded = Array.from({ length: 100 }, (_, n) => makeSecret(n % 2 === 0 ? "secret" : "publishable", "acme"));

  test("the service's own pattern, which matches every key, with a brand and without", () => {
    expect(pattern).toBe(SECRET_PATTERN.source);
    for (const secret of [...secrets, ...branded]) {
      expect(new RegExp(pattern).exec(`key=${secret};`)?.[0]).toBe(secret);
      expect(secretForm(secret)).toBe("well_formed");
    }
  });

  test("the pattern of one brand, which matches only its keys", () => {
    const ofBrand = onlyMatch(/brand\s+`acme`,\s+`([^`]+)`/g);
    for (const secret of branded) expect(new RegExp(ofBrand).exec(`key=${secret};`)?.[0]).toBe(secret);
    for (const secret of secrets) expect(secret).not.toMatch(new RegExp(ofBrand));
  });

  test("the rule of the checksum, with an example", () => {
    expect(onlyMatch(/The\s+digits\s+are\s+`([^`]+)`/g)).toBe("0-9A-Za-z");
    const inBase62 = (digits: string) => [...digits].reduce((sum, digit) => sum * 62 + BASE_62.indexOf(digit), 0);
    const example = `sk_${"0".repeat(30)}${onlyMatch(/thirty\s+zeros\s+have\s+the\s+checksum\s+`(\w{6})`/g)}`;
    expect(secretForm(example)).toBe("well_formed");
    for (const secret of [...secrets, ...branded, example]) {
      expect(inBase62(secret.slice(-6))).toBe(crc32(secret.slice(0, -6)));
    }
  });
});

test("each promise has an id of its own and a test, and each tag names a promise", () => {
  const ids = idsOf("promises.md");
  expect(ids.length).toBeGreaterThan(300);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  const tagged = new Set(readTags().flatMap(({ kind, id }) => (kind === "promise" ? [id] : [])));
  expect([...tagged].sort()).toEqual([...ids].sort());
});
