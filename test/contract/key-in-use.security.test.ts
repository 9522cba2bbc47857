// promise: keys.bind
import { describe, expect, test } from "vitest";
import { dashboardOf, instant, type KeyMethod, useKey } from "../harness/key-management.ts";
import { type CreatedKey, sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR, SECOND } from "../harness/test-clock.ts";

/** The record of a key that was just used may be cached. Changes of the key must bind all the same. */

const latchkey = await sharedLatchkey();
const dashboard = dashboardOf(latchkey);

async function keyInUse(fields: Record<string, unknown> = {}): Promise<CreatedKey> {
  const created = await dashboard.createKey(fields);
  for (let n = 0; n < 3; n++) expect(await useKey(latchkey, created.key)).toBe("admitted");
  return created;
}

describe("a key in use", () => {
  test.each<[KeyMethod, object, string]>([
    ["revoke", {}, "api_key_revoked"],
    ["disable", {}, "api_key_disabled"],
    ["rotate", { grace_period_hours: 0 }, "api_key_expired"],
    ["update", { permissions: ["plans:read"], update_mask: "permissions" }, "insufficient_scope"],
    ["update", { rate_limit: { requests_per_minute: 1 }, update_mask: "rate_limit" }, "rate_limited"],
  ])("follows %s %j from the next request on", async (method, change, outcome) => {
    const { key, key_id } = await keyInUse({ rate_limit: { requests_per_minute: 50 } });
    await dashboard.result(method, { key_id, ...change });
    for (let n = 0; n < 3; n++) expect(await useKey(latchkey, key)).toBe(outcome);
  });

  // threat: R13
  test("expires at the very instant", async () => {
    latchkey.clock.stand();
    const { key } = await keyInUse({ expires_at: instant(latchkey, HOUR) });
    latchkey.clock.advance(HOUR - SECOND);
    expect(await useKey(latchkey, key)).toBe("admitted");
    latchkey.clock.advance(SECOND);
    expect(await useKey(latchkey, key)).toBe("api_key_expired");
  });

  test("has its last use in its record", async () => {
    const { key, key_id } = await keyInUse();
    latchkey.clock.advance(HOUR);
    const usedAt = latchkey.clock.now().getTime();
    expect(await useKey(latchkey, key)).toBe("admitted");
    await dashboard.result("usage", { key_id });
    expect(Date.parse((await dashboard.result("get", { key_id })).last_used_at)).toBeGreaterThanOrEqual(usedAt);
  });

  test("is explained by its current state", async () => {
    const { key_id } = await keyInUse();
    await dashboard.result("disable", { key_id });
    const headers = await latchkey.dashboard(dashboard.tenant);
    const { json } = await latchkey.call("/api/v1/auth/verify", { explain: true, key_id }, headers);
    expect(json.explanation).toMatchObject({ allowed: false, denial_reason: "api_key_disabled" });
  });

  test("is denied to every request that begins after its revocation was acknowledged, under constant requests", async () => {
    for (let n = 0; n < 10; n++) {
      const { key, key_id } = await keyInUse();
      let isRevoked = false;
      const callers = Array.from({ length: 8 }, async () => {
        while (!isRevoked) await useKey(latchkey, key);
        return useKey(latchkey, key);
      });
      await dashboard.result("revoke", { key_id });
      isRevoked = true;
      expect(new Set(await Promise.all(callers))).toEqual(new Set(["api_key_revoked"]));
    }
  });
});
