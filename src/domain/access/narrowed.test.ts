// promise: access.is-the-key
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { narrowed } from "./narrowed.ts";
import { anyGrants } from "./scopes.ts";

const ACTIONS = ["a:read", "a:write", "a:b:read", "ab:read", "b:read"];
const SCOPES = [...ACTIONS, "*", "a:*", "b:*", "a:b:*"];

describe("narrowed scopes", () => {
  test.each([
    ["of the same scope", ["a:read"], ["a:read"], ["a:read"]],
    ["of a wildcard and what it grants", ["a:*"], ["a:read", "b:read"], ["a:read"]],
    ["of a scope and a wildcard over it", ["a:read", "b:read"], ["a:*"], ["a:read"]],
    ["of everything and a wildcard", ["*"], ["a:*"], ["a:*"]],
    ["of a wildcard and everything", ["a:*", "b:read"], ["*"], ["a:*", "b:read"]],
    ["of scopes that have nothing in common", ["a:read"], ["a:write", "ab:read"], []],
    ["of nothing", [], ["*"], []],
    ["for nothing", ["*"], [], []],
  ])("%s", (_what, held, allowed, both) => {
    expect(narrowed(held, allowed)).toEqual(both);
  });

  test("grant an action, or all of a wildcard, if and only if both lists do", () => {
    const list = fc.uniqueArray(fc.constantFrom(...SCOPES), { maxLength: 4 });
    fc.assert(
      fc.property(list, list, fc.constantFrom(...SCOPES), (held, allowed, wanted) => {
        const both = anyGrants(held, wanted) && anyGrants(allowed, wanted);
        expect(anyGrants(narrowed(held, allowed), wanted)).toBe(both);
      }),
      { numRuns: 500 },
    );
  });
});
