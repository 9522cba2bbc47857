import { describe, expect, test } from "vitest";
import { expectInvalid, expectNotFound } from "../harness/error-answers.ts";
import { dashboardOf, KEY_VERBS } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

describe.each(KEY_VERBS)("$method, which like get names a key", ({ method, body }) => {
  test.each([undefined, null, ""])("without a key_id (%j) is 400", async (keyId) => {
    expectInvalid(await dashboardOf(latchkey).ask(method, body(keyId)), "key_id", "required");
  });

  test.each([5, true, {}, [], ["key_x"]])("with the key_id %j is 400", async (keyId) => {
    expectInvalid(await dashboardOf(latchkey).ask(method, body(keyId)), "key_id", "string");
  });

  test("with an unknown key_id is 404 and says where to look", async () => {
    const answer = await dashboardOf(latchkey).ask(method, body(`key_${"0".repeat(32)}`));
    expectNotFound(answer);
    expect(answer.json.message).toContain("key_id");
  });

  test("with keyId instead of key_id is 400 and offers key_id", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id: keyId } = await dashboard.createKey();
    expectInvalid(await dashboard.ask(method, { keyId }), "keyId", '"key_id"');
  });

  test("with one member too many is 400", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    expectInvalid(await dashboard.ask(method, { ...body(key_id), force: true }), "force", "this request takes key_id");
    expect((await dashboard.result("get", { key_id })).status).toBe("KEY_STATUS_ACTIVE");
  });
});
