import { describe, expect, test } from "vitest";
import { newKey } from "../../../test/harness/memory-keys.ts";
import type { Principal } from "../identity/principal.ts";
import { RequestFault } from "../request-fault.ts";
import { verifyCaller } from "./verify.ts";

const USER: Principal = { kind: "dashboard_user", userId: "u1", tenantId: null };

function backend(...permissions: string[]): Principal {
  const { record: key } = newKey({ permissions });
  return { kind: "secret_key", key, tenantId: key.tenantId, onBehalfOf: null };
}

function verify(principal: Principal, scopes: readonly string[], tenantOptional = false): void {
  const named = scopes.map((scope, index) => [`scopes[${index}]`, scope] as const);
  verifyCaller(principal, { scopes: named, tenantOptional });
}

describe("a caller that is asked about", () => {
  test("must hold every scope", () => {
    verify(backend("plans:*", "users:read"), ["plans:read", "users:read"]);
    verify(backend(), []);
    expect(() => verify(backend("plans:*"), ["plans:read", "users:read"])).toThrow("lacks the scope users:read");
  });

  test("must have a tenant, unless the question says otherwise", () => {
    verify(USER, ["plans:read"], true);
    expect(() => verify(USER, ["plans:read"])).toThrow("names no tenant");
    verify({ ...USER, tenantId: "ten_1" }, ["plans:read"]);
  });
});

test.each([
  ["plans:*", "scopes[1]: must be no wildcard"],
  ["plans:reed", "scopes[1]: is no known scope"],
])("a question about %s is the asking service's fault, whoever calls", (scope, problem) => {
  for (const caller of [backend("*"), backend(), USER]) {
    expect(() => verify(caller, ["users:read", scope])).toThrow(
      new RequestFault("invalid_argument", `${problem}; did you mean "plans:read"? Ask for one "domain:action"`),
    );
  }
});
