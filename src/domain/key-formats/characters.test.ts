// promise: imported.formats
import fc from "fast-check";
import { expect, test } from "vitest";
import { keyFormat, VECTORS } from "../../../test/harness/key-format-vectors.ts";
import { charactersAt, shareText } from "./characters.ts";
import { compileFormats } from "./compiled.ts";
import { ALPHABETS, type KeyFormat, UUID_CHARS } from "./key-format.ts";

const formats = fc
  .record({
    prefix: fc.constantFrom("", "a", "ab", "ab_", "A", "12345678-", "ab_1", "sk_"),
    alphabet: fc.constantFrom(...ALPHABETS),
    lengthMin: fc.integer({ min: 30, max: 44 }),
    more: fc.integer({ min: 0, max: 4 }),
    isLower: fc.boolean(),
  })
  .map(({ prefix, alphabet, lengthMin, more, isLower }): KeyFormat => {
    const of = isLower && (alphabet === "HEX" || alphabet === "UUID") && !/[A-Z]/.test(prefix) ? "LOWER" : "AS_SENT";
    const uuid = prefix.length + UUID_CHARS;
    const lengths =
      alphabet === "UUID" ? { lengthMin: uuid, lengthMax: uuid } : { lengthMin, lengthMax: lengthMin + more };
    return keyFormat({ prefix, alphabet, case: of, ...lengths });
  });

/** A text that fits, of the characters that `pick` names. */
function textOf(format: KeyFormat, length: number, pick: (place: number) => number): string {
  return Array.from({ length }, (_, place) => {
    const allowed = charactersAt(format, place);
    return allowed.charAt(pick(place) % allowed.length);
  }).join("");
}

test("two formats share a text exactly if some text fits both", () => {
  fc.assert(
    fc.property(formats, formats, (one, other) => {
      const [first, second] = [one, other].map((format) => compileFormats({ formats: [format] }, new Map()));
      // A text of the characters that both allow at each place, where there are some.
      const length = Math.max(one.lengthMin, other.lengthMin);
      const common = Array.from({ length }, (_, place) =>
        [...charactersAt(one, place)].find((character) => charactersAt(other, place).includes(character)),
      );
      const text = common.map((character) => character ?? "?").join("");
      const fitsBoth = first?.find(text) !== undefined && second?.find(text) !== undefined;
      expect(shareText(one, other)).toBe(fitsBoth);
      expect(shareText(other, one)).toBe(fitsBoth);
    }),
  );
});

test("a text that fits a format fits no other one that shares no text with it", () => {
  fc.assert(
    fc.property(formats, formats, fc.array(fc.nat(), { minLength: 90, maxLength: 90 }), (one, other, picks) => {
      fc.pre(!shareText(one, other));
      const text = textOf(one, one.lengthMin, (place) => picks[place] ?? 0);
      expect(compileFormats({ formats: [other, one] }, new Map()).find(text)?.format).toBe(one);
    }),
  );
});

const HEX_64 = keyFormat({ alphabet: "HEX", lengthMin: 64, lengthMax: 64 });
const UUID = keyFormat({ alphabet: "UUID", lengthMin: 36, lengthMax: 36 });

test.each([
  ["the same format twice", HEX_64, HEX_64, true],
  ["a prefix within the other's alphabet", HEX_64, keyFormat({ ...HEX_64, prefix: "ab" }), true],
  ["a prefix outside of it", HEX_64, keyFormat({ ...HEX_64, prefix: "zz" }), false],
  ["lengths that do not meet", HEX_64, keyFormat({ ...HEX_64, lengthMin: 65, lengthMax: 70 }), false],
  ["a UUID and hex of its length", UUID, keyFormat({ ...HEX_64, lengthMin: 30, lengthMax: 40 }), false],
  [
    "a UUID and base64url of its length",
    UUID,
    keyFormat({ alphabet: "BASE64URL", lengthMin: 36, lengthMax: 36 }),
    true,
  ],
  [
    "prefixes that differ only in a case that one of them ignores",
    keyFormat({ ...HEX_64, prefix: "acme_", case: "LOWER", lengthMin: 69, lengthMax: 69 }),
    keyFormat({ ...HEX_64, prefix: "ACME_", lengthMin: 69, lengthMax: 69 }),
    true,
  ],
  [
    "a separator that the other's alphabet lacks, at any place",
    keyFormat({ hashedPart: "AFTER_LAST", separator: "|" }),
    keyFormat(),
    true,
  ],
])("%s", (_, one, other, isShared) => {
  expect(shareText(one, other)).toBe(isShared);
  expect(shareText(other, one)).toBe(isShared);
});

test("each format of the vectors finds its own key among all of them", () => {
  for (const { system, text, format } of VECTORS) {
    const others = VECTORS.filter((other) => !shareText(other.format, format)).map((other) => other.format);
    const found = compileFormats({ formats: [...others, format] }, new Map()).find(text);
    expect([system, found?.format]).toEqual([system, format]);
  }
});

test.each([
  ["one character less", HEX_64, "a".repeat(63)],
  ["one character more", HEX_64, "a".repeat(65)],
  ["a line end behind it", HEX_64, `${"a".repeat(63)}\n`],
  ["another character", HEX_64, `${"a".repeat(63)}g`],
  ["a comma", keyFormat({ alphabet: "VISIBLE" }), `${"a".repeat(44)},`],
  ["hyphens of a UUID elsewhere", UUID, "123456789-234-1234-1234-123456789012"],
  [
    "too little behind the separator",
    keyFormat({ hashedPart: "AFTER_LAST", separator: "|" }),
    `${"a".repeat(30)}|${"b".repeat(14)}`,
  ],
  ["no separator", keyFormat({ hashedPart: "AFTER_LAST", separator: "|" }), "a".repeat(45)],
  [
    "the form of a JWT",
    keyFormat({ alphabet: "VISIBLE" }),
    `${Buffer.from('{"alg":"RS256","k":1}').toString("base64url")}.e30.cGFydDM${"a".repeat(4)}`,
  ],
])("a text with %s does not fit", (_, format, text) => {
  expect(compileFormats({ formats: [format] }, new Map()).find(text)).toBeUndefined();
});

test.each(["LOWER", "AS_SENT"] as const)(
  "a key in capital letters is the same key only where case is ignored: %s",
  (of) => {
    const format = keyFormat({ ...HEX_64, prefix: "acme_", lengthMin: 69, lengthMax: 69, case: of });
    const compiled = compileFormats({ formats: [format] }, new Map());
    expect(compiled.find(`ACME_${"A".repeat(64)}`) !== undefined).toBe(of === "LOWER");
    expect(compiled.find(`acme_${"A".repeat(64)}`)).toBeDefined();
  },
);
