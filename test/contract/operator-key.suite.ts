import { describe, expect, test } from "vitest";
import { expectInvalid, expectNotFound } from "../harness/error-answers.ts";
import { dashboardOf } from "../harness/key-management.ts";
import type { Latchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { UNKNOWN } from "./foreign-key.suite.ts";

/** The errors of the operator's verbs for one key. Each `<rpc>.error.test.ts` of these runs them. */
export function testOperatorKeyErrors(latchkey: Latchkey, path: "keys/disable" | "keys/enable" | "keys/revoke"): void {
  const operator = operatorOf(latchkey);

  describe("key_id", () => {
    test.each([undefined, null, ""])("is required: %j is 400", async (key_id) => {
      expectInvalid(await operator.call(path, { key_id }), "key_id", "required");
    });

    test.each([5, true, {}, ["key_x"]])("must be a string: %j is 400", async (key_id) => {
      expectInvalid(await operator.call(path, { key_id }), "key_id", "string");
    });

    test.each([UNKNOWN, "x", "*", "' or '1'='1", `key_${"0".repeat(100_000)}`])("%.40j is 404", async (key_id) => {
      const answer = await operator.call(path, { key_id });
      expectNotFound(answer);
      expect(answer.json.message).toContain("key_id");
    });

    test("in capitals or with white space around it is 404, and the key stays as it is", async () => {
      const dashboard = dashboardOf(latchkey);
      const { key_id } = await dashboard.createKey();
      const before = await dashboard.result("get", { key_id });
      for (const other of [key_id.toUpperCase(), ` ${key_id}`, `${key_id} `]) {
        expectNotFound(await operator.call(path, { key_id: other }));
      }
      expect(await dashboard.result("get", { key_id })).toEqual(before);
    });

    test("beside a tenant is 400: the key says whose it is", async () => {
      const { tenant, ...dashboard } = dashboardOf(latchkey);
      const { key_id } = await dashboard.createKey();
      expectInvalid(await operator.call(path, { key_id, tenant_id: tenant }), "tenant_id", "key_id");
    });
  });
}
