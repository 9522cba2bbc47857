import { describe, expect, test } from "vitest";
import { accessRules } from "../../../test/harness/access-rules.ts";
import { newKey } from "../../../test/harness/memory-keys.ts";
import { dashboardUser } from "../../../test/harness/principals.ts";
import { createAuthority } from "./authority.ts";
import type { Principal } from "./principal.ts";
import { NO_RIGHTS } from "./scopes.ts";
import { verifyCaller } from "./verify.ts";

const AUTHORITY = createAuthority(accessRules());
const USER = dashboardUser({ tenantId: null });
const ADMIN: Principal = { ...USER, tenantId: "ten_1", rights: AUTHORITY.rightsOfUser({}, "ten_1") };

function backend(...permissions: string[]): Principal {
  const { record: key } = newKey({ permissions });
  return { kind: "secret_key", key, tenantId: key.tenantId, onBehalfOf: null, rights: AUTHORITY.rightsOfKey(key) };
}

function verify(principal: Principal, scopes: readonly string[], tenantOptional = false): void {
  const named = scopes.map((scope, index) => [`scopes[${index}]`, scope] as const);
  verifyCaller(principal, { scopes: named, tenantOptional }, AUTHORITY);
}

describe("a caller that is asked about", () => {
  test("must hold every scope", () => {
    verify(backend("plans:*", "users:read"), ["plans:read", "users:read"]);
    verify(backend(), []);
    expect(() => verify(backend("plans:*"), ["plans:read", "users:read"])).toThrow("lacks the scope users:read");
  });

  test("must have a tenant, unless the question says otherwise", () => {
    verify(USER, [], true);
    expect(() => verify(USER, ["plans:read"])).toThrow("names no tenant");
    verify(ADMIN, ["plans:read"]);
  });

  test("must have the scope, too, if it is a user", () => {
    expect(() => verify(USER, ["plans:read"], true)).toThrow("lacks the scope plans:read");
    expect(() => verify({ ...ADMIN, rights: NO_RIGHTS }, ["plans:read"])).toThrow(
      "one of the roles that have it: owner",
    );
    expect(() => verify(ADMIN, ["system:write"])).toThrow("reserved for the operator's own tenant");
  });
});

test.each([
  ["plans:*", 'scopes[1]: must be no wildcard; ask for one "domain:action"'],
  [
    "plans:reed",
    'scopes[1]: is not a known scope; did you mean "plans:read"? The list is closed: POST /api/v1/scopes/list returns all of it',
  ],
  ["superuser", "scopes[1]: is not a known scope; the list is closed: POST /api/v1/scopes/list returns all of it"],
])("a question about %s is the asking service's fault, for every caller", (scope, problem) => {
  for (const caller of [backend("*"), backend(), USER]) {
    expect(() => verify(caller, ["users:read", scope])).toThrow(problem);
  }
});
