import { describe, expect, test } from "vitest";
import { checkedClaims, requiredClaimsProblem } from "./required-claims.ts";

/** Claims c0, c1 and so on. */
function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`c${n}`, "x"]));
}

describe("required claims", () => {
  test.each<[string, Record<string, string>]>([
    ["none", {}],
    ["a name with dots, and one that is a URL", { "org.plan": "pro", "https://example.com/plan": "pro" }],
    ["an empty value", { plan: "" }],
    ["32", many(32)],
    ["names of 256 and values of 1,024 characters", { ["𝒏".repeat(256)]: "𝒗".repeat(1_024) }],
    ["names that every object has", { constructor: "x", toString: "x" }],
  ])("may be %s", (_what, claims) => {
    expect(requiredClaimsProblem(claims)).toBeUndefined();
    expect(checkedClaims(claims)).toEqual({ claims });
  });

  test.each<[string, Record<string, string>, string]>([
    ["33", many(33), "must be at most 32 claims"],
    ["an empty name", { "": "x" }, "must not have a claim with an empty name"],
    ["__proto__", JSON.parse('{"__proto__": "x"}'), 'must not have a claim named "__proto__"'],
    ["a name of 257 characters", { ["n".repeat(257)]: "x" }, "must be at most 256 characters"],
    ["a value of 1,025 characters", { plan: "v".repeat(1_025) }, 'the value of the claim "plan" must be at most 1024'],
  ])("cannot be %s; then none is taken", (_what, claims, problem) => {
    expect(requiredClaimsProblem(claims)).toContain(problem);
    expect(checkedClaims(claims)).toEqual({ claims: {}, problem: expect.stringContaining(problem) });
  });

  test.each<[string, unknown, string]>([
    ["a list", ["acr"], "must be a JSON object"],
    ["a text", "acr", "must be a JSON object"],
    ["null", null, "must be a JSON object"],
    ["a number as a value", { acr: 5 }, 'the value of the claim "acr" must be a string'],
    ["a boolean as a value", { a: "x", email_verified: true }, 'the value of the claim "email_verified" must be'],
    ["a list as a value", { groups: ["a"] }, 'the value of the claim "groups" must be a string'],
    ["null as a value", { acr: null }, 'the value of the claim "acr" must be a string'],
  ])("cannot be %s, since claims are compared with texts", (_what, value, problem) => {
    expect(checkedClaims(value)).toEqual({ claims: {}, problem: expect.stringContaining(problem) });
  });
});
