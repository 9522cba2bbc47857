// promise: imported.formats, imported.own-first
import { describe, expect, test } from "vitest";
import { keyFormat, VECTORS } from "../../../test/harness/key-format-vectors.ts";
import { compileFormats } from "./compiled.ts";
import { ALPHABETS, CASES, HASHED_PARTS, type KeyFormat } from "./key-format.ts";

/** A format of each kind, and those of all systems that were looked at. */
const FORMATS: readonly KeyFormat[] = [
  ...VECTORS.map(({ format }) => format),
  ...ALPHABETS.flatMap((alphabet) =>
    CASES.flatMap((of) =>
      HASHED_PARTS.flatMap((hashedPart) =>
        ["", "sk_live_", "a.b|c+(*"].map((prefix) => {
          const separator = hashedPart === "WHOLE" ? "" : "|";
          const lengths =
            alphabet === "UUID"
              ? { lengthMin: prefix.length + 36, lengthMax: prefix.length + 36 }
              : { lengthMin: 64, lengthMax: 512 };
          return keyFormat({ name: "any", prefix, alphabet, case: of, hashedPart, separator, ...lengths });
        }),
      ),
    ),
  ),
];
const titled = FORMATS.map((format) => {
  const { prefix, alphabet, case: of, hashedPart, lengthMin } = format;
  return { title: `${prefix} ${alphabet} ${of} ${hashedPart} ${lengthMin}`, format };
});

// threat: K26
describe("lengths and alphabets of no key:", () => {
  const alphabetBombs = (text: string) => [
    ...["\0", "\n", ",", " ", "\u00e9", "\u{1f511}", "\u212a", "\uff21", "%7C", "\u0130"].flatMap((odd) => [
      odd + text.slice(odd.length),
      text.slice(0, -odd.length) + odd,
    ]),
    `${text}\n`,
    `\n${text}`,
  ];

  test.each(titled)("$title", ({ format }) => {
    const { find } = compileFormats({ formats: [format] }, new Map());
    const fill = format.alphabet === "UUID" ? "3f9a1c5e-7b2d-4f60-819a-2b3c4d5e6f70" : "";
    const ofLength = (length: number) =>
      fill === "" ? format.prefix.padEnd(length, "0123456789abcdef") : format.prefix + fill;
    const bombs = [
      ...["", "0".repeat(100_000), format.prefix.repeat(2_000), format.prefix],
      // Nothing but separators leaves nothing that is hashed.
      ...(format.hashedPart === "AFTER_LAST" ? [format.prefix + "|".repeat(500 - format.prefix.length)] : []),
      ...(fill === "" ? [ofLength(format.lengthMin - 1), ofLength(format.lengthMax + 1)] : []),
      ...alphabetBombs(ofLength(format.lengthMin)).filter((text) => text !== ofLength(format.lengthMin)),
    ];
    // `%7C` is three characters of a key where all visible ones are allowed; nothing decodes it.
    const fitting = bombs.filter((text) => find(text) !== undefined && !text.includes("%7C"));
    expect(fitting).toEqual([]);
  });
});
