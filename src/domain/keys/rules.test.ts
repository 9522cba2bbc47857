import { describe, expect, test } from "vitest";
import { RequestFault } from "../request-fault.ts";
import { checkedExpiry, checkedPermissions } from "./rules.ts";

describe("permissions", () => {
  test("are known scopes, each once, in the order in which they were given", () => {
    const permissions = ["users:read", "*", "plans:*", "users:read"];
    expect(checkedPermissions(permissions, "secret")).toEqual(["users:read", "*", "plans:*"]);
    expect(checkedPermissions(["users:read", "plans:*"], "publishable")).toEqual(["users:read", "plans:*"]);
  });

  test("are 1 to 64 different ones", () => {
    expect(() => checkedPermissions([], "secret")).toThrow("permissions: is required: 1 to 64 scopes");
    expect(checkedPermissions(Array(65).fill("*"), "secret")).toEqual(["*"]);
    const many = (count: number) => Array.from({ length: count }, (_, n) => `x:${n}`);
    expect(() => checkedPermissions(many(65), "secret")).toThrow(
      "permissions: must be at most 64 different scopes, not 65",
    );
    expect(() => checkedPermissions(many(64), "secret")).toThrow("permissions[0]: is no known scope");
  });

  test("that are unknown are faults with the nearest scope that the key's type can hold", () => {
    expect(() => checkedPermissions(["*", "users:raed"], "secret")).toThrow(
      new RequestFault(
        "invalid_argument",
        'permissions[1]: is no known scope; did you mean "users:read"? A scope is "domain:action", "domain:*" or "*"',
      ),
    );
    expect(() => checkedPermissions(["billing:raed"], "publishable")).toThrow(
      /^permissions\[0\]: is no known scope; did you mean "(?!billing)[a-z]+:[a-z]+"\? A scope is "domain:action" or "domain:\*"$/,
    );
  });

  test("with a blocked effect are for secret keys", () => {
    for (const scope of ["*", "users:*", "users:impersonate", "billing:read"]) {
      expect(checkedPermissions([scope], "secret")).toEqual([scope]);
    }
    expect(() => checkedPermissions(["plans:read", "users:*"], "publishable")).toThrow(
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
