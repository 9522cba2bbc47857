// promise: scopes.catalogue, scopes.publishable, scopes.removed
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../test/harness/any-text.ts";
import { createCatalogue } from "./catalogue.ts";
import { anyGrants } from "./scopes.ts";

/** Written out here, so that a scope that is added to the catalogue is a decision made twice. */
const OPEN = [
  ...["conversations:read", "conversations:write", "plans:read", "plans:write"],
  ...["users:read", "invoices:read", "invoices:write"],
];
const BLOCKED = [
  ...["users:impersonate", "billing:read", "billing:write", "api_keys:read", "api_keys:write"],
  ...[
    "audit:read",
    "usage:read",
    "api_keys:admin",
    "org:read",
    "org:write",
    "webhooks:read",
    "webhooks:write",
    "tenants:read",
    "tenants:write",
    "system:read",
    "system:write",
  ],
];
const ACTIONS = [...OPEN, ...BLOCKED];
const domainOf = (scope: string): string => scope.slice(0, scope.indexOf(":"));
const DOMAINS = [...new Set(ACTIONS.map(domainOf))];
const HELD = ["*", ...DOMAINS.map((domain) => `${domain}:*`), ...ACTIONS];

const OWN = [
  { name: "reports:read", description: "Read reports.", publishable: true },
  { name: "reports:export", description: "Export reports.", publishable: false },
  { name: "plans:archive", description: "Archive plans.", publishable: true },
];

const builtIn = createCatalogue();
const extended = createCatalogue(OWN);

const action = fc.constantFrom(...ACTIONS);
/** Near misses: pieces of real scopes put together, other cases, other scripts, white space. */
const nearMiss = fc
  .array(fc.constantFrom(...DOMAINS, ":", "*", "read", "write", "impersonate", " ", "\u200b", "с", "U", "\n"), {
    maxLength: 5,
  })
  .map((parts) => parts.join(""));
const anyScope = fc.oneof(nearMiss, anyText(), fc.constantFrom("__proto__", "constructor", ""));

describe("the catalogue", () => {
  test("is exactly these scopes, a wildcard for each domain, and *", () => {
    expect(builtIn.scopes.map(({ name }) => name).toSorted()).toEqual(ACTIONS.toSorted());
    for (const scope of HELD) expect(builtIn.isGrantable(scope)).toBe(true);
    for (const scope of ACTIONS) expect(builtIn.isAction(scope)).toBe(true);
    fc.assert(
      fc.property(anyScope, (text) => {
        expect(builtIn.isGrantable(text)).toBe(HELD.includes(text));
        expect(builtIn.isAction(text)).toBe(ACTIONS.includes(text));
      }),
    );
  });

  test("describes each scope, and says which of them a publishable key can hold", () => {
    for (const { name, description, publishable } of builtIn.scopes) {
      expect(description, name).toMatch(/^[A-Z].*\.$/);
      expect(publishable, name).toBe(OPEN.includes(name));
    }
  });

  test("has the platform's own scopes after the built-in ones, with the wildcards of their domains", () => {
    expect(extended.scopes).toEqual([...builtIn.scopes, ...OWN]);
    for (const { name } of OWN) expect(extended.isAction(name) && extended.isGrantable(name)).toBe(true);
    expect(extended.isGrantable("reports:*")).toBe(true);
    expect(builtIn.isGrantable("reports:*")).toBe(false);
  });

  test("keeps the platform's own scopes from publishable keys, unless they are for them", () => {
    expect(extended.blockedForPublishable("reports:read")).toBeUndefined();
    expect(extended.blockedForPublishable("reports:export")).toBe("reports:export");
    expect(extended.blockedForPublishable("reports:*")).toBe("reports:export");
    expect(extended.blockedForPublishable("plans:*")).toBeUndefined();
    const hidden = createCatalogue([{ name: "plans:archive", description: "Archive plans.", publishable: false }]);
    expect(hidden.blockedForPublishable("plans:*")).toBe("plans:archive");
  });
});

describe("the effective scopes of a record", () => {
  test("are those in the catalogue: an unknown one does not even grant itself", () => {
    const record = ["plans:delete", "secrets:*", "plans:read"];
    expect(builtIn.effective(record, "secret")).toEqual(["plans:read"]);
    expect(builtIn.effective(["reports:read", "reports:*"], "secret")).toEqual([]);
    expect(extended.effective(["reports:read", "reports:*"], "secret")).toEqual(["reports:read", "reports:*"]);
  });

  test("of a publishable key have no blocked or unknown scope and grant nothing blocked, whatever the record says", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...HELD), anyScope)), action, (record, wanted) => {
        const effective = builtIn.effective(record, "publishable");
        expect(effective).toEqual(
          record.filter((scope) => HELD.includes(scope) && builtIn.blockedForPublishable(scope) === undefined),
        );
        expect(BLOCKED.filter((blocked) => anyGrants(effective, blocked))).toEqual([]);
        if (anyGrants(effective, wanted)) expect(OPEN).toContain(wanted);
      }),
    );
  });
});

describe("a publishable key", () => {
  // threat: P2
  test("is refused exactly the scopes whose effect holds something blocked", () => {
    for (const held of HELD) {
      const isHarmful = BLOCKED.some((blocked) => anyGrants([held], blocked));
      expect(builtIn.blockedForPublishable(held) !== undefined, held).toBe(isHarmful);
    }
  });

  // threat: P1
  test.each([
    ["*", "*"],
    ["users:*", "users:impersonate"],
    ["users:impersonate", "users:impersonate"],
    ["billing:read", "billing:*"],
    ["system:*", "system:*"],
  ])("is refused %s for its effect on %s", (held, blocked) =>
    expect(builtIn.blockedForPublishable(held)).toBe(blocked),
  );
});

describe("the scope that was probably meant", () => {
  test("is a known one, or none", () => {
    fc.assert(
      fc.property(anyScope, (text) => {
        const meant = builtIn.nearestScope(text, "secret");
        if (meant !== undefined) expect(HELD).toContain(meant);
        const asked = builtIn.nearestAction(text);
        if (asked !== undefined) expect(ACTIONS).toContain(asked);
      }),
    );
    for (const scope of HELD.filter((each) => each !== "*")) {
      expect(builtIn.nearestScope(scope, "secret")).toBe(scope);
      expect(builtIn.nearestScope(scope.toUpperCase(), "secret")).toBe(scope);
    }
  });

  test("is never all rights, nor for a publishable key one that it cannot hold", () => {
    const texts = ["", "*", "**", "*:*", "u*", "admin", "read", "foo", "all"];
    fc.assert(
      fc.property(fc.oneof(anyScope, fc.constantFrom(...texts)), (text) => {
        const meant = builtIn.nearestScope(text, "secret");
        expect(meant).not.toBe("*");
        const held = builtIn.nearestScope(text, "publishable");
        if (held !== undefined) expect(builtIn.blockedForPublishable(held)).toBeUndefined();
        if (!text.includes("*")) expect(meant ?? "").not.toContain("*");
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
    ["write", "org:write"],
    ["in:read", "invoices:read"],
    ["keys:read", "api_keys:read"],
  ])("for %j is %s, of the domain that it names", (text, scope) =>
    expect(builtIn.nearestScope(text, "secret")).toBe(scope),
  );

  test.each(["", "foo", "admin", "superuser", "https://example.com/scope"])(
    "for %j is empty: nothing is near",
    (text) => {
      expect(builtIn.nearestScope(text, "secret")).toBeUndefined();
      expect(builtIn.nearestAction(text)).toBeUndefined();
    },
  );
});
