import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isBlank } from "./blank.ts";

/** Joiners and variation selectors among them: what is written with those is seen. */
const VISIBLE = ["a", "0", "-", "é", "😀", "\u2764\ufe0f", "👩\u200d👧", "\u0646\u200c\u0645", "\ufffd"];
const INVISIBLE = [
  ...[" ", "\t", "\n", "\u0085", "\u00a0", "\u2028", "\u3000"],
  ...["\u0001", "\u001b", "\u007f", "\u009f"],
  ...[
    "\u00ad",
    "\u034f",
    "\u115f",
    "\u180e",
    "\u200b",
    "\u200d",
    "\u202e",
    "\u2060",
    "\u2800",
    "\u3164",
    "\ufe0f",
    "\ufeff",
  ],
  ...["\u{e0001}", "\u{e0061}"],
];

describe("a text", () => {
  test("of invisible characters is blank, and one visible character anywhere makes it a text", () => {
    const invisible = fc.array(fc.constantFrom(...INVISIBLE)).map((chars) => chars.join(""));
    fc.assert(
      fc.property(invisible, fc.constantFrom(...VISIBLE), invisible, (before, seen, after) => {
        expect(isBlank(before)).toBe(true);
        expect(isBlank(before + seen + after)).toBe(false);
      }),
    );
  });
});
