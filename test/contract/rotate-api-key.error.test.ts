// promise: rotation.grace, rotation.once
import { describe, expect, test } from "vitest";
import { expectInvalid, expectPrecondition } from "../harness/error-answers.ts";
import { type Dashboard, dashboardOf, instant, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";
import { testKeyIdErrors } from "./key-id.suite.ts";

const latchkey = await sharedLatchkey();

testKeyIdErrors(latchkey, "rotate");

/** Expects that a rotation is rejected for the key's state, and changes nothing. */
async function expectUnrotatable(dashboard: Dashboard, keyId: string, ...says: string[]): Promise<void> {
  const before = (await dashboard.call("list", {})).json;
  for (const body of [{}, { grace_period_hours: 0 }, { grace_period_hours: 720 }]) {
    expectPrecondition(await dashboard.call("rotate", { key_id: keyId, ...body }), "key_id", ...says);
  }
  expect((await dashboard.call("list", {})).json).toEqual(before);
}

describe("grace_period_hours", () => {
  // threat: R8
  test.each([-1, 721, 1.5, 2_147_483_647, 2_147_483_648, -2_147_483_648, "0x10", "24h", "", true, {}, []])(
    "%j is 400 and rotates nothing",
    async (grace_period_hours) => {
      const dashboard = dashboardOf(latchkey);
      const { key, key_id } = await dashboard.createKey();
      const before = (await dashboard.call("list", {})).json;
      expectInvalid(await dashboard.call("rotate", { key_id, grace_period_hours }), "grace_period_hours");
      expect((await dashboard.call("list", {})).json).toEqual(before);
      expect(await useKey(latchkey, key)).toBe("admitted");
    },
  );

  test("the camelCase spelling is checked as well, since ignoring it would mean 24 hours", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    expectInvalid(await dashboard.call("rotate", { key_id, gracePeriodHours: 721 }), "grace_period_hours");
  });
});

describe("keys that cannot be rotated", () => {
  test("a publishable one", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey(PUBLISHABLE);
    await expectUnrotatable(dashboard, key_id, "publishable", "create a new key");
  });

  // threat: R10
  test("a publishable one, whatever its status", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey(PUBLISHABLE);
    await dashboard.result("disable", { key_id });
    await expectUnrotatable(dashboard, key_id);
    await dashboard.result("revoke", { key_id });
    await expectUnrotatable(dashboard, key_id);
  });

  test("a revoked one", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    await dashboard.result("revoke", { key_id });
    await expectUnrotatable(dashboard, key_id, "revoked");
  });

  // threat: R10
  test("an expired one", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey({ expires_at: instant(latchkey, HOUR) });
    latchkey.clock.advance(HOUR);
    await expectUnrotatable(dashboard, key_id, "expired");
  });

  test("a disabled one, until it is enabled", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    await dashboard.result("disable", { key_id });
    await expectUnrotatable(dashboard, key_id, "disabled", "enable");
    await dashboard.result("enable", { key_id });
    await dashboard.result("rotate", { key_id });
  });

  test("a rotated one, during its grace period and after, and the message names the successor", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    const successor = await dashboard.result("rotate", { key_id, grace_period_hours: 1 });
    await expectUnrotatable(dashboard, key_id, successor.key_id);
    latchkey.clock.advance(HOUR);
    await expectUnrotatable(dashboard, key_id, successor.key_id);
    await dashboard.result("revoke", { key_id: successor.key_id });
    await expectUnrotatable(dashboard, key_id, successor.key_id);
  });

  test.each(["disable", "revoke"] as const)(
    "a rotated one after a %s, and the message names the successor",
    async (end) => {
      const dashboard = dashboardOf(latchkey);
      const { key_id } = await dashboard.createKey();
      const successor = await dashboard.result("rotate", { key_id });
      await dashboard.result(end, { key_id });
      await expectUnrotatable(dashboard, key_id, successor.key_id);
    },
  );
});

describe("concurrent rotations", () => {
  // threat: R7
  test("one of 20 succeeds, and the others name its successor", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    const before = latchkey.clock.now().getTime();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => dashboard.call("rotate", { key_id, grace_period_hours: i + 1 })),
    );
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    const successor = winners[0]?.json.result;
    for (const answer of answers) {
      if (answer.status !== 200) expectPrecondition(answer, "key_id", successor.key_id);
    }

    const record = await dashboard.result("get", { key_id });
    expect(record.rotated_to).toBe(successor.key_id);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(Math.floor((Date.parse(record.expires_at) - before) / HOUR)).toBe(winner + 1);
    expect((await dashboard.call("list", {})).json.pagination.total).toBe(2);
    expect(await useKey(latchkey, successor.key)).toBe("admitted");
  });

  test("a rejected rotation creates no key", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    await Promise.all(Array.from({ length: 5 }, () => dashboard.call("rotate", { key_id })));
    const { keys } = (await dashboard.call("list", { status: "KEY_STATUS_ACTIVE" })).json;
    expect(keys).toHaveLength(2);
  });
});
