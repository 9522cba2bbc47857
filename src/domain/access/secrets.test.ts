// promise: operator.token
import { describe, expect, test } from "vitest";
import { createSecretMatch } from "./secrets.ts";

const [OLD, NEW] = ["old-token-of-the-operator-0123456789", "new-token-of-the-operator-0123456789"];

describe("secrets", () => {
  test("are two while they are changed, each with its position", () => {
    const match = createSecretMatch([OLD, NEW]);
    expect([match(OLD), match(NEW)]).toEqual([1, 2]);
    expect(createSecretMatch([NEW])(OLD)).toBeUndefined();
  });

  test.each(["", " ", OLD.slice(0, -1), `${OLD}0`, OLD.toUpperCase(), ` ${OLD}`, `${OLD},${NEW}`, "undefined"])(
    "equal no other text: %j",
    (token) => {
      expect(createSecretMatch([OLD, NEW])(token)).toBeUndefined();
    },
  );

  test("that are not configured equal nothing, not even an empty token", () => {
    for (const token of ["", OLD]) expect(createSecretMatch([])(token)).toBeUndefined();
  });

  test("have the first position where both are the same", () => {
    expect(createSecretMatch([OLD, OLD])(OLD)).toBe(1);
  });
});
