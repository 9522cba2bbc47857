import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createGuard } from "../../clients/typescript/src/server/index.ts";
import { allScopes, nearestScope } from "../../clients/typescript/src/server/scopes.ts";
import { BUILT_IN_SCOPES } from "../../clients/typescript/src/vocabulary.ts";
import { createCatalogue } from "../../src/domain/access/catalogue.ts";

const BASE_URL = "https://api.example.com";

test("the guard knows the scopes of the service, in its order", () => {
  expect(BUILT_IN_SCOPES).toEqual(createCatalogue().scopes.map(({ name }) => name));
});

test.each([
  ["Go", "clients/go/scopes.go", /builtInScopes = \[\]string\{([^}]*)\}/],
  ["Python", "clients/python/src/latchkey/_scopes.py", /BUILT_IN_SCOPES = \(([^)]*)\)/],
])("the guard for %s knows the same", async (_language, file, list) => {
  const [, text = ""] = list.exec(await readFile(new URL(`../../${file}`, import.meta.url), "utf8")) ?? [];
  expect([...text.matchAll(/"([^"]+)"/g)].map(([, scope]) => scope)).toEqual(BUILT_IN_SCOPES);
});

test("the guard suggests the scope that the service would suggest", () => {
  const own = ["reports:read", "reports:write", "my-app2:run"];
  const service = createCatalogue(own.map((name) => ({ name, description: "d", publishable: false })));
  const known = allScopes(own);
  const word = fc.oneof(
    fc.constantFrom(...known.flatMap((scope) => scope.split(":"))),
    fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/),
  );
  /** A known word, perhaps with a character left out, or any other. */
  const mistyped = fc.tuple(word, fc.nat(20)).map(([text, at]) => text.slice(0, at) + text.slice(at + 1) || "a");
  fc.assert(
    fc.property(mistyped, mistyped, (domain, action) => {
      const scope = `${domain}:${action}`;
      expect(nearestScope(scope, known)).toBe(service.nearestAction(scope));
    }),
  );
});

test.each<[scopes: string | string[], message: string]>([
  ["plan:read", 'scopes: "plan:read" is not a known scope; did you mean "plans:read"? If not, '],
  [
    ["plans:read", "reports:raed"],
    'scopes: "reports:raed" is not a known scope; did you mean "reports:read"? If not, ',
  ],
  ["qqqqqqqq:zz", 'scopes: "qqqqqqqq:zz" is not a known scope; '],
])("a guard cannot be created with an unknown scope: %j", (scopes, message) => {
  const guard = createGuard({ baseUrl: BASE_URL, ownScopes: ["reports:read"] });
  const error = new TypeError(`${message}name the scopes of Latchkey's SCOPES_FILE in ownScopes`);
  expect(() => guard.node(scopes)).toThrow(error);
  expect(() => guard.fetch(scopes, () => new Response())).toThrow(error);
});

test("a guard requires one of the platform's own scopes only if it is listed", () => {
  const scope = "reports-2:read_all";
  const make = (ownScopes?: string[]) => createGuard({ baseUrl: BASE_URL, ownScopes }).node(["plans:read", scope]);
  expect(() => make()).toThrow(TypeError);
  expect(() => make([scope])).not.toThrow();
  // As a Latchkey that is newer than the package has built it in.
  expect(() => make([scope, "plans:read", scope])).not.toThrow();
});

test.each(["reports:read", { 0: "reports:read" }, null])("a guard's own scopes must be a list: %j", (ownScopes) => {
  // What plain JavaScript may give.
  const make = () => createGuard({ baseUrl: BASE_URL, ownScopes: ownScopes as unknown as string[] });
  expect(make).toThrow(
    new TypeError('ownScopes must be a list of the scopes in SCOPES_FILE, such as ["reports:read"]'),
  );
});

test.each(["", "reports", "reports:*", "*", "Reports:read", "reports:read ", `${"r".repeat(64)}:read`, 5, undefined])(
  "a guard's own scope must be one that SCOPES_FILE can have: %j",
  (scope) => {
    const make = () => createGuard({ baseUrl: BASE_URL, ownScopes: ["reports:read", scope as string] });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(/^ownScopes\[1\] must be one "domain:action" in lower case/);
  },
);

test.each([undefined, "", "plans", "plans:*", "*", "Plans:read", ["plans:read", 5], "plans:read plans:write"])(
  "a guard cannot be created with an invalid scope: %j",
  (scopes) => {
    const guard = createGuard({ baseUrl: BASE_URL });
    // What plain JavaScript may give.
    for (const make of [guard.node, (given: string) => guard.fetch(given, () => new Response())]) {
      expect(() => make(scopes as string)).toThrow(
        /^scopes must be one "domain:action", such as "plans:read", or a list/,
      );
    }
    expect(() => guard.node([])).not.toThrow();
    expect(() => guard.node(["plans:read", "users:impersonate"])).not.toThrow();
  },
);
