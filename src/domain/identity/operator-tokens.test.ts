import { describe, expect, test } from "vitest";
import { createOperatorTokens } from "./operator-tokens.ts";

const [OLD, NEW] = ["old-token-of-the-operator-0123456789", "new-token-of-the-operator-0123456789"];

describe("the operator's tokens", () => {
  test("are two while they are changed, each with its position", () => {
    const match = createOperatorTokens([OLD, NEW]);
    expect([match(OLD), match(NEW)]).toEqual([1, 2]);
    expect(createOperatorTokens([NEW])(OLD)).toBeUndefined();
  });

  test.each(["", " ", OLD.slice(0, -1), `${OLD}0`, OLD.toUpperCase(), ` ${OLD}`, `${OLD},${NEW}`, "undefined"])(
    "equal no other text: %j",
    (token) => {
      expect(createOperatorTokens([OLD, NEW])(token)).toBeUndefined();
    },
  );

  test("that are not configured equal nothing, not even an empty token", () => {
    for (const token of ["", OLD]) expect(createOperatorTokens([])(token)).toBeUndefined();
  });

  test("have the first position where both are the same", () => {
    expect(createOperatorTokens([OLD, OLD])(OLD)).toBe(1);
  });
});
