// promise: keys.not-found
import { describe, expect, test } from "vitest";
import { expectInvalid, expectNotFound } from "../harness/error-answers.ts";
import { dashboardOf, type KeyVerb, keyVerb } from "../harness/key-management.ts";
import type { Latchkey } from "../harness/latchkey.ts";

/** The errors of `key_id` that every RPC about one key has in common. Each `<rpc>.error.test.ts` of these runs them. */
export function testKeyIdErrors(latchkey: Latchkey, method: KeyVerb["method"]): void {
  const { body } = keyVerb(method);

  describe("key_id", () => {
    test.each([undefined, null, ""])("is required: %j is 400", async (keyId) => {
      expectInvalid(await dashboardOf(latchkey).call(method, body(keyId)), "key_id", "required");
    });

    test.each([5, true, {}, [], ["key_x"]])("must be a string: %j is 400", async (keyId) => {
      expectInvalid(await dashboardOf(latchkey).call(method, body(keyId)), "key_id", "string");
    });

    test("of no key is 404, and the message names the member", async () => {
      const answer = await dashboardOf(latchkey).call(method, body(`key_${"0".repeat(32)}`));
      expectNotFound(answer);
      expect(answer.json.message).toContain("key_id");
    });

    test("of an existing key in capitals, or with white space around it, is 404", async () => {
      const owner = dashboardOf(latchkey);
      const { key_id } = await owner.createKey();
      for (const keyId of [key_id.toUpperCase(), ` ${key_id}`, `${key_id} `, `${key_id}\n`]) {
        expectNotFound(await owner.call(method, body(keyId)));
      }
    });

    test("written as keyid is 400, and the message suggests key_id", async () => {
      const dashboard = dashboardOf(latchkey);
      const { key_id: keyid } = await dashboard.createKey();
      expectInvalid(await dashboard.call(method, { keyid }), "keyid", '"key_id"');
    });

    test("beside an unknown member is 400, and the key stays active", async () => {
      const dashboard = dashboardOf(latchkey);
      const { key_id } = await dashboard.createKey();
      expectInvalid(
        await dashboard.call(method, { ...body(key_id), force: true }),
        "force",
        "this request takes key_id",
      );
      expect((await dashboard.result("get", { key_id })).status).toBe("KEY_STATUS_ACTIVE");
    });
  });
}
