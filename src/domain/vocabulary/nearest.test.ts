import { describe, expect, test } from "vitest";
import { editDistance, likely, nearest } from "./nearest.ts";

describe("the distance of two texts", () => {
  test.each([
    ["", "", 0],
    ["same", "same", 0],
    ["", "abc", 3],
    ["abc", "", 3],
    ["name", "nam", 1],
    ["name", "names", 1],
    ["name", "nome", 1],
    ["name", "nmae", 1],
    ["ab", "ba", 1],
    ["abcd", "badc", 2],
    ["aab", "baa", 2],
    ["kitten", "sitting", 3],
    ["ca", "abc", 3],
    ["abab", "baba", 2],
  ])("%j and %j is %i, either way", (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });
});

describe("the nearest candidate", () => {
  test("has the fewest edits, ignoring case; of equals it is the first", () => {
    expect(nearest("NAEM", ["type", "Name", "names"])).toBe("Name");
    expect(nearest("x", ["b", "a"])).toBe("b");
    expect(nearest("anything", [])).toBe("");
  });

  test("is that of the first 64 characters", () => {
    const text = "a".repeat(64);
    expect(nearest(`${text}${"b".repeat(100)}`, ["b".repeat(100), text])).toBe(text);
  });
});

describe("a likely candidate", () => {
  test.each([
    ["contains the text", "limit", "rate_limit"],
    ["contains at least two characters of it", "na", "name"],
    ["is a part of it", "the_name_of_it", "name"],
    ["differs in one edit of four characters", "nmae", "name"],
    ["differs in two edits of five", "abxxe", "abcde"],
    ["differs in two edits of the longer one's six", "nxamxe", "name"],
    ["differs in three edits of eleven", "dxscrxptixn", "description"],
    ["differs in a third of its characters", "axxdefxhi", "abcdefghi"],
  ])("%s: %j is taken for %j", (_how, text, candidate) => expect(likely(text, [candidate])).toBe(candidate));

  test.each([
    ["contains only one character", "n", "name"],
    ["differs in half of its characters", "ax", "ab"],
    ["differs in two edits of four characters", "abxx", "abcd"],
    ["differs in three edits of seven", "axxxefg", "abcdefg"],
    ["differs in four edits of eleven", "dxscrxptxxn", "description"],
  ])("excludes a word that %s: %j is not taken for %j", (_how, text, candidate) =>
    expect(likely(text, [candidate])).toBeUndefined(),
  );

  test("is the nearest of several", () => {
    expect(likely("NAMES", ["rename", "name", "type"])).toBe("name");
  });
});
