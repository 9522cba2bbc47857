// promise: roles.claim
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claimNames } from "./claim-names.ts";

describe("the names in a claim", () => {
  test.each<[string, unknown, string[]]>([
    ["one name", "admin", ["admin"]],
    ["names separated by spaces, as in the scope of OAuth", "admin viewer", ["admin", "viewer"]],
    ["names separated by commas", "admin,viewer, editor", ["admin", "viewer", "editor"]],
    ["separators alone", " , ,\n\t", []],
    ["an empty text", "", []],
    ["a list", ["admin", "viewer"], ["admin", "viewer"]],
    ["a list with names that have spaces and commas", ["Support, level 2"], ["Support, level 2"]],
    ["a list with other values", ["admin", 1, null, {}, ["viewer"], true, ""], ["admin"]],
    ["an empty list", [], []],
    ["an object, by its keys", { admin: { org_1: "x.example" }, viewer: true, "": 1 }, ["admin", "viewer"]],
    [
      "an object that denies some",
      { admin: false, owner: null, viewer: {}, editor: "", a: 0 },
      ["viewer", "editor", "a"],
    ],
    ["an empty object", {}, []],
    ["a member that JavaScript treats differently", JSON.parse('{"__proto__": {"admin": 1}}'), ["__proto__"]],
  ])("are found in %s", (_what, value, names) => {
    expect(claimNames(value)).toEqual(names);
  });

  test.each([undefined, null, true, false, 0, 1])("are empty in %s", (value) => {
    expect(claimNames(value)).toEqual([]);
  });

  test("are texts that the claim has, whatever it holds, and none is empty", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const name of claimNames(value)) {
          expect(name).not.toBe("");
          expect(JSON.stringify(value)).toContain(JSON.stringify(name).slice(1, -1));
        }
      }),
    );
  });
});
