import { describe, expect, test } from "vitest";
import { createCatalogue } from "../access/catalogue.ts";
import { faultOf } from "../vocabulary/request-fault.ts";
import { checkedExpiry, checkedPermissions } from "./rules.ts";

const CATALOGUE = createCatalogue();

describe("permissions", () => {
  test("are known scopes, each once, in the order in which they were given", () => {
    const permissions = ["users:read", "*", "plans:*", "users:read"];
    expect(checkedPermissions(permissions, "secret", CATALOGUE)).toEqual(["users:read", "*", "plans:*"]);
    expect(checkedPermissions(["users:read", "plans:*"], "publishable", CATALOGUE)).toEqual(["users:read", "plans:*"]);
  });

  test("are 1 to 64 different ones", () => {
    expect(() => checkedPermissions([], "secret", CATALOGUE)).toThrow("permissions: is required: 1 to 64 scopes");
    expect(checkedPermissions(Array(65).fill("*"), "secret", CATALOGUE)).toEqual(["*"]);
    const many = (count: number) => Array.from({ length: count }, (_, n) => `x:${n}`);
    expect(() => checkedPermissions(many(65), "secret", CATALOGUE)).toThrow(
      "permissions: must be at most 64 different scopes, not 65",
    );
    expect(() => checkedPermissions(many(64), "secret", CATALOGUE)).toThrow("permissions[0]: is not a known scope");
  });

  test("that are unknown are faults with the nearest scope that the key's type can hold", () => {
    expect(() => checkedPermissions(["*", "users:raed"], "secret", CATALOGUE)).toThrow(
      faultOf(
        "unknown_scope",
        "permissions[1]",
        'is not a known scope; did you mean "users:read"? The list is closed: POST /api/v1/scopes/list returns all of it',
      ),
    );
    expect(() => checkedPermissions(["billing:raed"], "publishable", CATALOGUE)).toThrow(
      "permissions[0]: is not a known scope; the list is closed: POST /api/v1/scopes/list returns all of it",
    );
  });

  test("with a blocked effect are for secret keys", () => {
    for (const scope of ["*", "users:*", "users:impersonate", "billing:read"]) {
      expect(checkedPermissions([scope], "secret", CATALOGUE)).toEqual([scope]);
    }
    expect(() => checkedPermissions(["plans:read", "users:*"], "publishable", CATALOGUE)).toThrow(
      'permissions[1]: "users:*" cannot be held by a publishable key, because of its effect on the blocked scope "users:impersonate"; remove it, or use a secret key',
    );
  });
});

test("an expiry lies in the future, by a millisecond at least", () => {
  const now = new Date("2026-03-01T12:00:00Z");
  const soon = new Date(now.getTime() + 1);
  expect(checkedExpiry(soon, now)).toBe(soon);
  for (const past of [now, new Date(now.getTime() - 1)]) {
    expect(() => checkedExpiry(past, now)).toThrow("expires_at: must be in the future");
  }
});
