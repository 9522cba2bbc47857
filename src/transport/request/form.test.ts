import { describe, expect, test } from "vitest";
import { readForm } from "./form.ts";

const formOf = (text: string) => readForm(Buffer.from(text));
const names = (count: number) => Array.from({ length: count }, (_, n) => `n${n}=v`).join("&");

test("a form is read by its names, decoded, without white space around a value", () => {
  expect(formOf("a=1%0A&b=%20+%C3%A9&c=+")).toEqual(
    new Map([
      ["a", ["1"]],
      ["b", ["é"]],
      ["c", [""]],
    ]),
  );
});

test("a name without a value is left out, however often it comes", () => {
  expect(formOf("a=&b&a=1&b=&a=")).toEqual(new Map([["a", ["1"]]]));
});

test("a name may come more than once if it is repeatable", () => {
  expect(readForm(Buffer.from("a=1&a=2"), ["a"])).toEqual(new Map([["a", ["1", "2"]]]));
});

// threat: B22
test("a form has 64 names at most, whatever they are", () => {
  expect(formOf(names(64))).toHaveProperty("size", 64);
  for (const text of [names(65), names(40_000), "&".repeat(64), "a=1&".repeat(40_000)])
    expect(formOf(text)).toEqual({ problem: "A form has at most 64 names." });
});

describe("a form is refused", () => {
  test.each([
    ["a=1&b=2&a=1", "a stands in the form more than once."],
    ["a=1&%61=2", "a stands in the form more than once."],
    ["client_id=fed_%00", "client_id: must not contain the NUL character."],
  ])("%j", (text, problem) => {
    expect(formOf(text)).toEqual({ problem });
  });
});
