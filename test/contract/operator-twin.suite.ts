import { describe, expect, test } from "vitest";
import { expectNotFound } from "../harness/error-answers.ts";
import type { Answer } from "../harness/http.ts";
import { dashboardOf, type KeyMethod } from "../harness/key-management.ts";
import { type Latchkey, newTenant } from "../harness/latchkey.ts";
import { OPERATOR, operatorOf } from "../harness/operator.ts";
import { RPCS } from "../harness/rpcs.ts";
import { UNKNOWN } from "./foreign-key.suite.ts";
import { testTenantIdErrors } from "./tenant-id.suite.ts";

/** The methods that the operator has for any tenant, each the twin of the one that the tenant's users call. */
export type TwinMethod = Extract<KeyMethod, "list" | "get" | "update" | "rotate" | "usage">;

/** What a caller sees of an answer. */
const seen = ({ status, json }: Answer) => ({ status, json });

/** A twin refuses what the tenant's RPC refuses, in the same words. `bodies` are refused for an existing key. */
export function testTwinErrors(latchkey: Latchkey, method: TwinMethod, bodies: readonly object[]): void {
  const operator = operatorOf(latchkey);

  testTenantIdErrors(latchkey, `keys/${method}`, method === "list" ? {} : { key_id: UNKNOWN });

  describe("what users of the tenant are refused, the operator is refused in the same words", () => {
    test.each(bodies)("%j", async (body) => {
      const dashboard = dashboardOf(latchkey);
      const { key_id } = await dashboard.createKey();
      const request = method === "list" ? body : { key_id, ...body };
      const own = await dashboard.call(method, request);
      expect(own.status, own.text).toBeGreaterThanOrEqual(400);
      expect(seen(await operator.call(`keys/${method}`, { tenant_id: dashboard.tenant, ...request }))).toEqual(
        seen(own),
      );
    });
  });
}

/** A key is found in its own tenant only, by every RPC of the operator's that names a tenant and a key. */
export function testTwinTenancy(latchkey: Latchkey): void {
  const twins = RPCS.filter(({ callers, body }) => {
    const members = Object.keys(body("key_x"));
    return callers === "operator" && members.includes("tenant_id") && members.includes("key_id");
  });

  test.each(twins)(
    "$path: a key of another tenant than the request names is the same 404 as an unknown one, and stays as it is",
    async ({ path, body }) => {
      const dashboard = dashboardOf(latchkey);
      const { key_id } = await dashboard.createKey();
      const before = await dashboard.result("get", { key_id });
      const tenant_id = newTenant();
      const unknown = await latchkey.call(path, body(UNKNOWN, tenant_id), OPERATOR);
      expectNotFound(unknown);
      expect(seen(await latchkey.call(path, body(key_id, tenant_id), OPERATOR))).toEqual(seen(unknown));
      expect(await dashboard.result("get", { key_id })).toEqual(before);
    },
  );
}
