import { describe, expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { type Latchkey, newTenant } from "../harness/latchkey.ts";
import { type OperatorCalls, operatorOf } from "../harness/operator.ts";

/** The errors of `tenant_id` that the operator's RPCs about one tenant have in common. `rest` is what else a request needs. */
export function testTenantIdErrors(
  latchkey: Latchkey,
  path: Parameters<OperatorCalls["call"]>[0],
  rest: object = {},
): void {
  const operator = operatorOf(latchkey);
  const call = (body: object) => operator.call(path, { ...rest, ...body });

  describe("tenant_id", () => {
    test.each([undefined, null, ""])("is required: %j is 400", async (tenant_id) => {
      expectInvalid(await call({ tenant_id }), "tenant_id", "required");
    });

    test.each([5, true, {}, ["ten_x"]])("must be a string: %j is 400", async (tenant_id) => {
      expectInvalid(await call({ tenant_id }), "tenant_id", "string");
    });

    test.each([" ", "\u200b", "\u0085", "a\nb", "a\0b", "\u007f", "x".repeat(257)])(
      "%.20j can be in no token, and is 400",
      async (tenant_id) => {
        expectInvalid(await call({ tenant_id }), "tenant_id");
      },
    );

    test.each(["tenantid", "tenant", "tenant_ids"])(
      "written as %s is 400, and the message suggests it",
      async (name) => {
        expectInvalid(await call({ [name]: newTenant() }), name, '"tenant_id"');
      },
    );

    test("beside an unknown member is 400, and the tenant stays as it is", async () => {
      const tenant = newTenant();
      const { key } = await latchkey.createKey(await latchkey.dashboard(tenant));
      expectInvalid(await call({ tenant_id: tenant, force: true }), "force", "tenant_id");
      expect((await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key })).status).toBe(200);
    });
  });
}
