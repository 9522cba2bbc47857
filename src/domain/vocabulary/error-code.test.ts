import { expect, test } from "vitest";
import { codeOf } from "./error-code.ts";

test("an error's code is its own text, and nothing else has one", () => {
  expect(codeOf(Object.assign(new Error("no file"), { code: "ENOENT" }))).toBe("ENOENT");
  for (const other of [
    new Error("no code"),
    Object.assign(new Error("a number"), { code: 5 }),
    { code: "ENOENT" },
    undefined,
    null,
    "ENOENT",
  ]) {
    expect(codeOf(other)).toBeUndefined();
  }
});
