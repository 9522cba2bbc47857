import { describe, expect, test } from "vitest";
import { expectInvalid, expectPrecondition } from "../harness/error-answers.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

describe.each(["disable", "enable"] as const)("%s", (method) => {
  test("a revoked key is refused with what to do instead, and nothing changes", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    const revoked = await dashboard.result("revoke", { key_id });
    expectPrecondition(await dashboard.ask(method, { key_id }), "key_id", "revoked", "create a new key");
    expect(await dashboard.result("get", { key_id })).toEqual(revoked);
  });

  test.each(["disabled", "status", "name"])("a %s beside the key_id is refused", async (member) => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    expectInvalid(await dashboard.ask(method, { key_id, [member]: "x" }), member);
    expect((await dashboard.result("get", { key_id })).status).toBe("KEY_STATUS_ACTIVE");
  });
});
