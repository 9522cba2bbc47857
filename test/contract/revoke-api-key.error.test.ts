// promise: keys.revoked
import { describe, expect, test } from "vitest";
import { expectPrecondition } from "../harness/error-answers.ts";
import { dashboardOf, instant, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";
import { testKeyIdErrors } from "./key-id.suite.ts";

const latchkey = await sharedLatchkey();

testKeyIdErrors(latchkey, "revoke");

describe("a revoked key stays revoked", () => {
  // threat: R5
  test.each([
    ["update", { name: "after", update_mask: "name" }],
    ["enable", {}],
    ["disable", {}],
    ["rotate", {}],
    ["rotate", { grace_period_hours: 720 }],
  ] as const)("%s %j on it is 400, and it stays as it is", async (method, body) => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    const revoked = await dashboard.result("revoke", { key_id });
    expectPrecondition(await dashboard.call(method, { key_id, ...body }), "key_id", "revoked");
    expect(await dashboard.result("get", { key_id })).toEqual(revoked);
    expect((await dashboard.call("list", {})).json.pagination.total).toBe(1);
    expect(await useKey(latchkey, key)).toBe("api_key_revoked");
  });

  test("a key that was disabled when it was revoked cannot be enabled", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    await dashboard.result("disable", { key_id });
    await dashboard.result("revoke", { key_id });
    expectPrecondition(await dashboard.call("enable", { key_id }), "key_id", "revoked");
    expect(await useKey(latchkey, key)).toBe("api_key_revoked");
  });

  test("a key past its expiry is still reported as revoked", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey({ expires_at: instant(latchkey, HOUR) });
    await dashboard.result("revoke", { key_id });
    latchkey.clock.advance(2 * HOUR);
    expect(await useKey(latchkey, key)).toBe("api_key_revoked");
    expect((await dashboard.result("get", { key_id })).status).toBe("KEY_STATUS_REVOKED");
  });

  // threat: R15
  test("after a revocation concurrent with a rotation the key is revoked, and has at most one successor, which works", async () => {
    for (let round = 0; round < 10; round++) {
      const dashboard = dashboardOf(latchkey);
      const { key, key_id } = await dashboard.createKey();
      const [rotated, revoked] = await Promise.all([
        dashboard.call("rotate", { key_id }),
        dashboard.call("revoke", { key_id }),
      ]);
      expect(revoked.status).toBe(200);
      expect(await useKey(latchkey, key)).toBe("api_key_revoked");
      if (rotated.status === 200) expect(await useKey(latchkey, rotated.json.result.key)).toBe("admitted");
      else expectPrecondition(rotated, "key_id", "revoked");
      const { pagination } = (await dashboard.call("list", {})).json;
      expect(pagination.total).toBe(rotated.status === 200 ? 2 : 1);
    }
  });
});
