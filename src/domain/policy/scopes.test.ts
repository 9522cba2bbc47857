import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../test/harness/any-text.ts";
import {
  allowedForPublishable,
  anyGrants,
  blockedForPublishable,
  isAction,
  isGrantable,
  nearestAction,
  nearestScope,
  publishableMay,
} from "./scopes.ts";

/** Written out here, so that a scope that is added to the catalogue is a decision made twice. */
const OPEN = [
  ...["conversations:read", "conversations:write", "plans:read", "plans:write"],
  ...["users:read", "invoices:read", "invoices:write"],
];
const BLOCKED = [
  ...["users:impersonate", "billing:read", "billing:write", "api_keys:read", "api_keys:write"],
  ...["webhooks:read", "webhooks:write", "tenants:read", "tenants:write", "system:read", "system:write"],
];
const ACTIONS = [...OPEN, ...BLOCKED];
const domainOf = (scope: string): string => scope.slice(0, scope.indexOf(":"));
const DOMAINS = [...new Set(ACTIONS.map(domainOf))];
const HELD = ["*", ...DOMAINS.map((domain) => `${domain}:*`), ...ACTIONS];

const action = fc.constantFrom(...ACTIONS);
const heldScopes = fc.uniqueArray(fc.constantFrom(...HELD));
/** Near misses: pieces of real scopes put together, other cases, other scripts, white space. */
const nearMiss = fc
  .array(fc.constantFrom(...DOMAINS, ":", "*", "read", "write", "impersonate", " ", "\u200b", "с", "U", "\n"), {
    maxLength: 5,
  })
  .map((parts) => parts.join(""));
const anyScope = fc.oneof(nearMiss, anyText(), fc.constantFrom("__proto__", "constructor", ""));

describe("the catalogue", () => {
  test("is exactly these scopes, a wildcard for each domain, and *", () => {
    for (const scope of HELD) expect(isGrantable(scope)).toBe(true);
    for (const scope of ACTIONS) expect(isAction(scope)).toBe(true);
    fc.assert(
      fc.property(anyScope, (text) => {
        expect(isGrantable(text)).toBe(HELD.includes(text));
        expect(isAction(text)).toBe(ACTIONS.includes(text));
      }),
    );
  });

  test("has a nearest scope for any text, a known one", () => {
    fc.assert(fc.property(anyScope, (text) => HELD.includes(nearestScope(text, "secret"))));
    for (const scope of HELD.filter((each) => each !== "*")) {
      expect(nearestScope(scope, "secret")).toBe(scope);
      expect(nearestScope(scope.toUpperCase(), "secret")).toBe(scope);
    }
  });

  test("never suggests all rights, nor to a publishable key a scope that it cannot hold", () => {
    const texts = ["", "*", "**", "*:*", "u*", "admin", "read", "foo", "all"];
    fc.assert(
      fc.property(fc.oneof(anyScope, fc.constantFrom(...texts)), (text) => {
        expect(nearestScope(text, "secret")).not.toBe("*");
        expect(blockedForPublishable(nearestScope(text, "publishable"))).toBeUndefined();
        if (!text.includes("*")) expect(nearestScope(text, "secret")).not.toContain("*");
      }),
    );
  });

  test.each([
    ["u*", "users:*"],
    ["users", "users:read"],
    ["users:delete", "users:read"],
    ["USERS.impersonated", "users:impersonate"],
    ["conv:read", "conversations:read"],
    ["billing:admin", "billing:read"],
    ["write", "plans:write"],
    ["in:read", "invoices:read"],
    ["keys:read", "api_keys:read"],
  ])("offers for %j %s, of the domain that it names", (text, scope) =>
    expect(nearestScope(text, "secret")).toBe(scope),
  );

  test("has a nearest action for any text, a wildcard included", () => {
    fc.assert(
      fc.property(fc.oneof(anyScope, fc.constantFrom(...HELD)), (text) => ACTIONS.includes(nearestAction(text))),
    );
    for (const scope of ACTIONS) expect(nearestAction(scope)).toBe(scope);
  });
});

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

  test("a domain's wildcard reaches no longer name and no shorter one", () => {
    for (const wanted of ["users2:read", "users", "user:read", "USERS:read", " users:read", "userspace:*"]) {
      expect(anyGrants(["users:*"], wanted)).toBe(false);
    }
    fc.assert(
      fc.property(fc.constantFrom(...DOMAINS), anyScope, (domain, wanted) => {
        expect(anyGrants([`${domain}:*`], wanted)).toBe(wanted.startsWith(`${domain}:`));
      }),
    );
  });

  test("an unknown scope grants nothing, even if it resembles a known one", () => {
    fc.assert(
      fc.property(anyScope, action, (held, wanted) => {
        fc.pre(!HELD.includes(held));
        expect(anyGrants([held], wanted)).toBe(false);
      }),
    );
  });

  test("an unknown scope does not even grant itself, and an unknown wildcard nothing below it", () => {
    expect(anyGrants(["plans:delete"], "plans:delete")).toBe(false);
    expect(anyGrants(["secrets:*"], "secrets:read")).toBe(false);
  });

  test("only a wildcard grants what begins with it", () => {
    expect(anyGrants(["users:read"], "users:rea")).toBe(false);
    expect(anyGrants(["users:read"], "users:read_all")).toBe(false);
  });

  test("a key without scopes is granted nothing", () => {
    for (const wanted of ACTIONS) expect(anyGrants([], wanted)).toBe(false);
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

describe("a publishable key", () => {
  test("is refused exactly the scopes whose effect holds something blocked", () => {
    for (const held of HELD) {
      const isHarmful = BLOCKED.some((blocked) => anyGrants([held], blocked));
      expect(blockedForPublishable(held) !== undefined, held).toBe(isHarmful);
    }
  });

  test.each([
    ["*", "*"],
    ["users:*", "users:impersonate"],
    ["users:impersonate", "users:impersonate"],
    ["billing:read", "billing:*"],
    ["system:*", "system:*"],
  ])("is refused %s for its effect on %s", (held, blocked) => expect(blockedForPublishable(held)).toBe(blocked));

  test("has no blocked or unknown scope and may do nothing blocked, even if its record says so", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...HELD), anyScope)), action, (record, wanted) => {
        const allowed = allowedForPublishable(record);
        expect(allowed).toEqual(record.filter((scope) => HELD.includes(scope) && !blockedForPublishable(scope)));
        expect(BLOCKED.filter((blocked) => anyGrants(allowed, blocked))).toEqual([]);
        expect(publishableMay(record, wanted)).toBe(OPEN.includes(wanted) && anyGrants(allowed, wanted));
      }),
    );
  });

  test("may do nothing blocked by any one scope that there is", () => {
    for (const held of HELD) {
      for (const wanted of ACTIONS) {
        const isOpen = OPEN.includes(wanted) && anyGrants(allowedForPublishable([held]), wanted);
        expect(publishableMay([held], wanted), `${held} ${wanted}`).toBe(isOpen);
      }
    }
  });

  test("with scopes that it can have may do what they grant", () => {
    const harmless = HELD.filter((scope) => blockedForPublishable(scope) === undefined);
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...harmless)), action, (held, wanted) => {
        expect(allowedForPublishable(held)).toEqual(held);
        expect(publishableMay(held, wanted)).toBe(anyGrants(held, wanted));
      }),
    );
  });
});
