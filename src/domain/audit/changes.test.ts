// promise: audit.content
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeSecret } from "../credentials/secret.ts";
import type { Json } from "../vocabulary/json.ts";
import { changesBetween } from "./changes.ts";

const member = fc.constantFrom("name", "role", "permissions", "rate_limit");
const value: fc.Arbitrary<Json> = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.integer()));
const state = fc.dictionary(member, value);

describe("the changes between two states", () => {
  test("have the old and the new value of each member that differs, and no other", () => {
    const before = { name: "a", rate_limit: { burst_size: 0 }, permissions: ["x"], disabled_at: null };
    const after = { name: "b", rate_limit: { burst_size: 5 }, permissions: ["x"], disabled_at: null };
    expect(changesBetween(before, after)).toEqual({
      name: { old: "a", new: "b" },
      rate_limit: { old: { burst_size: 0 }, new: { burst_size: 5 } },
    });
  });

  test("lead from the first state to the second, whatever they are", () => {
    fc.assert(
      fc.property(state, state, (before, after) => {
        const rebuilt = new Map<string, Json>(Object.entries(before));
        for (const [name, change] of Object.entries(changesBetween(before, after))) {
          expect(change.old).toEqual(before[name]);
          if (change.new === undefined) rebuilt.delete(name);
          else rebuilt.set(name, change.new);
        }
        expect(Object.fromEntries(rebuilt)).toEqual({ ...after });
      }),
    );
  });

  test("of a new and of a removed record have only one side, and no member that is null", () => {
    const record = { role: "viewer", count: 0, expires_at: null };
    expect(changesBetween(undefined, record)).toEqual({ role: { new: "viewer" }, count: { new: 0 } });
    expect(changesBetween(record, undefined)).toEqual({ role: { old: "viewer" }, count: { old: 0 } });
  });

  test.each([makeSecret("secret"), makeSecret("publishable"), `eyJ${"a".repeat(40)}.eyJ${"b".repeat(40)}.c`])(
    "contain no credential that stands in a text: %.12s",
    (secret) => {
      const pasted = { name: `key ${secret}`, nested: { list: [`${secret}!`] } };
      const text = JSON.stringify([changesBetween(undefined, pasted), changesBetween(pasted, { name: "new" })]);
      expect(text).not.toContain(secret.slice(12, 24));
      expect(text).toContain("key ...");
    },
  );
});
