// promise: scopes.wildcards
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../test/harness/any-text.ts";
import { anyGrants, isReserved, mayUse } from "./scopes.ts";

const ACTIONS = [
  "conversations:read",
  "users:read",
  "users:impersonate",
  "tenants:write",
  "system:read",
  "reports:read",
];
const domainOf = (scope: string): string => scope.slice(0, scope.indexOf(":"));
const DOMAINS = [...new Set(ACTIONS.map(domainOf))];
const HELD = ["*", ...DOMAINS.map((domain) => `${domain}:*`), ...ACTIONS];
const heldScopes = fc.uniqueArray(fc.constantFrom(...HELD));
const action = fc.constantFrom(...ACTIONS);

describe("matching", () => {
  test("an exact scope grants itself and nothing else", () => {
    for (const held of ACTIONS) {
      for (const wanted of ACTIONS) expect(anyGrants([held], wanted)).toBe(held === wanted);
    }
  });

  test("* grants everything, a domain's wildcard exactly what stands before its colon", () => {
    for (const wanted of ACTIONS) {
      expect(anyGrants(["*"], wanted)).toBe(true);
      for (const domain of DOMAINS) expect(anyGrants([`${domain}:*`], wanted)).toBe(domainOf(wanted) === domain);
    }
  });

  // threat: P6
  test("a domain's wildcard reaches no longer name and no shorter one", () => {
    for (const wanted of ["users2:read", "users", "user:read", "USERS:read", " users:read", "userspace:*"]) {
      expect(anyGrants(["users:*"], wanted)).toBe(false);
    }
    fc.assert(
      fc.property(fc.constantFrom(...DOMAINS), anyText(), (domain, wanted) => {
        expect(anyGrants([`${domain}:*`], wanted)).toBe(wanted.startsWith(`${domain}:`));
      }),
    );
  });

  test("a wildcard is granted by itself and by *, not by all scopes of its domain: the domain may get more", () => {
    expect(anyGrants(["users:*"], "users:*")).toBe(true);
    expect(anyGrants(["*"], "users:*")).toBe(true);
    expect(anyGrants(["users:read", "users:impersonate"], "users:*")).toBe(false);
    expect(anyGrants(["*"], "*")).toBe(true);
    expect(
      anyGrants(
        HELD.filter((scope) => scope !== "*"),
        "*",
      ),
    ).toBe(false);
  });

  test("only a wildcard grants what begins with it", () => {
    expect(anyGrants(["users:read"], "users:rea")).toBe(false);
    expect(anyGrants(["users:read"], "users:read_all")).toBe(false);
  });

  test("several scopes grant what any one of them does: their order does not matter and more never take away", () => {
    fc.assert(
      fc.property(heldScopes, heldScopes, action, (some, others, wanted) => {
        const one = some.some((scope) => anyGrants([scope], wanted));
        expect(anyGrants(some, wanted)).toBe(one);
        expect(anyGrants([...some].reverse(), wanted)).toBe(one);
        if (one) expect(anyGrants([...others, ...some], wanted)).toBe(true);
      }),
    );
  });
});

describe("reserved scopes", () => {
  test("are those of system and tenants, their wildcards included", () => {
    for (const scope of ["system:read", "system:*", "tenants:write", "tenants:*"]) expect(isReserved(scope)).toBe(true);
    for (const scope of ["*", "systems:read", "tenant:read", "users:read"]) expect(isReserved(scope)).toBe(false);
  });

  test("are not part of rights that do not include them, whatever is held", () => {
    fc.assert(
      fc.property(heldScopes, action, fc.boolean(), (scopes, wanted, includeReserved) => {
        const isGranted = anyGrants(scopes, wanted) && (includeReserved || !isReserved(wanted));
        expect(mayUse({ scopes, includeReserved }, wanted)).toBe(isGranted);
      }),
    );
    expect(mayUse({ scopes: ["*", "system:*"], includeReserved: false }, "system:*")).toBe(false);
    expect(mayUse({ scopes: ["*"], includeReserved: true }, "system:*")).toBe(true);
    expect(mayUse({ scopes: ["system:read", "system:write"], includeReserved: true }, "system:*")).toBe(false);
  });
});
