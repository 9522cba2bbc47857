// promise: rules.checked, rules.count
import { afterAll, describe, expect, test } from "vitest";
import { expectFault, expectInvalid, expectPrecondition } from "../harness/error-answers.ts";
import { dashboardOf, instant } from "../harness/key-management.ts";
import { policyOf } from "../harness/key-policy.ts";
import { sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const HOUR = 3_600_000;
const latchkey = await sharedLatchkey();
const small = await startLatchkey({ config: { tenantKeysMax: 3 } });
afterAll(() => small.close());

describe("rules are 400", () => {
  test.each([
    ["without a policy", {}, "policy"],
    ["with a lifetime below 0", { policy: { max_lifetime_hours: -1 } }, "policy.max_lifetime_hours"],
    ["with a lifetime above 100 years", { policy: { max_lifetime_hours: 876_001 } }, "policy.max_lifetime_hours"],
    ["with a limit below 0", { policy: { max_rate_limit: { burst_size: -1 } } }, "policy.max_rate_limit.burst_size"],
    ["with an unknown scope", { policy: { permissions: ["plans:read", "plans:raed"] } }, "policy.permissions[1]"],
    ["with more keys than the operator allows", { policy: { max_keys: 10_001 } }, "policy.max_keys"],
    ["with an unknown member", { policy: { lifetime: 1 } }, "policy.lifetime"],
  ])("%s, and those there were stay", async (_what, body, field) => {
    const policy = policyOf(latchkey);
    await policy.set({ max_keys: 9 });
    expectInvalid(await policy.call("set", body), field);
    expect((await policy.get()).max_keys).toBe(9);
  });
});

/** Each rule, members of a key that goes beyond it, the member at fault and what the message says. */
const BEYOND: [rule: object, fields: () => object, field: string, says: string][] = [
  [{ allowed_ips_required: true }, () => ({}), "allowed_ips", "is required by the tenant's rule allowed_ips_required"],
  [
    { max_lifetime_hours: 2 },
    () => ({}),
    "expires_at",
    "at most 2 hours after the key's creation by the tenant's rule max_lifetime_hours",
  ],
  [{ max_lifetime_hours: 2 }, () => ({ expires_at: instant(latchkey, 3 * HOUR) }), "expires_at", "max_lifetime_hours"],
  [{ expiry_required: true }, () => ({}), "expires_at", "is required by the tenant's rule expiry_required"],
  [
    { permissions: ["plans:read"] },
    () => ({ permissions: ["plans:read", "plans:*"] }),
    "permissions[1]",
    "must be one of plans:read by the tenant's rule permissions",
  ],
  [{ permissions: ["plans:*"] }, () => ({ permissions: ["*"] }), "permissions[0]", "plans:*"],
  [
    { max_rate_limit: { requests_per_minute: 60 } },
    () => ({}),
    "rate_limit.requests_per_minute",
    "must be 1 to 60 by the tenant's rule max_rate_limit.requests_per_minute",
  ],
  [
    { max_rate_limit: { requests_per_minute: 60 } },
    () => ({ rate_limit: { requests_per_minute: 61 } }),
    "rate_limit.requests_per_minute",
    "1 to 60",
  ],
  [
    { max_rate_limit: { requests_per_hour: 60 } },
    () => ({ rate_limit: { requests_per_minute: 1 } }),
    "rate_limit.requests_per_hour",
    "1 to 60",
  ],
  [{ max_rate_limit: { burst_size: 5 } }, () => ({ rate_limit: { burst_size: 5 } }), "rate_limit.burst_size", "1 to 5"],
  [
    { max_rate_limit: { burst_size: 5 } },
    () => ({ rate_limit: { requests_per_minute: 6 } }),
    "rate_limit.burst_size",
    "1 to 5",
  ],
  [
    { max_rate_limit: { burst_size: 5 } },
    () => ({ rate_limit: { requests_per_minute: 9, burst_size: 6 } }),
    "rate_limit.burst_size",
    "1 to 5",
  ],
  [
    { max_rate_limit: { per_user: { requests_per_minute: 5 } } },
    () => ({ rate_limit: { requests_per_minute: 1 } }),
    "rate_limit.per_user.requests_per_minute",
    "must be 1 to 5 by the tenant's rule max_rate_limit.per_user.requests_per_minute",
  ],
  [
    { max_rate_limit: { per_user: { requests_per_minute: 5 } } },
    () => ({ rate_limit: { per_user: { requests_per_minute: 6 } } }),
    "rate_limit.per_user.requests_per_minute",
    "1 to 5",
  ],
];

describe("a key beyond a rule is 400, and the rule is named:", () => {
  test.each(BEYOND)("%j at create, by a user and by the operator", async (rule, fields, field, says) => {
    const policy = policyOf(latchkey);
    await policy.set(rule);
    const key = { name: "a key", permissions: ["plans:read"], ...fields() };
    expectPrecondition(await dashboardOf(latchkey, policy.tenant).call("create", key), field, says);
    const byOperator = await operatorOf(latchkey).call("keys/create", { tenant_id: policy.tenant, ...key });
    expectPrecondition(byOperator, field, says);
  });

  test.each(BEYOND)("%j at enable and rotate, for a key from before", async (rule, fields, _field, says) => {
    const policy = policyOf(latchkey);
    const dashboard = dashboardOf(latchkey, policy.tenant);
    const { key_id } = await dashboard.createKey({ permissions: ["plans:read"], ...fields() });
    await policy.set(rule);
    expectPrecondition(
      await dashboard.call("rotate", { key_id, grace_period_hours: 0 }),
      "key_id",
      says,
      "update it first",
    );
    await dashboard.result("disable", { key_id });
    expectPrecondition(await dashboard.call("enable", { key_id }), "key_id", says, "update it first");
    expectPrecondition(await operatorOf(latchkey).call("keys/enable", { key_id }), "key_id", says);
  });

  test.each(BEYOND)("%j at update, of the member that it changes", async (rule, fields, field, says) => {
    const policy = policyOf(latchkey);
    const dashboard = dashboardOf(latchkey, policy.tenant);
    const { key_id } = await dashboard.createKey({
      permissions: ["plans:read"],
      expires_at: instant(latchkey, HOUR),
      rate_limit: { requests_per_minute: 1, requests_per_hour: 1 },
    });
    await policy.set(rule);
    const update_mask = field.replace(/[[.].*/, "");
    const before = await dashboard.result("get", { key_id });
    expectPrecondition(await dashboard.call("update", { key_id, ...fields(), update_mask }), field, says);
    expect(await dashboard.result("get", { key_id })).toEqual(before);
  });
});

test("a mask that names a part of a limit does not bypass a rule", async () => {
  const policy = policyOf(latchkey);
  const dashboard = dashboardOf(latchkey, policy.tenant);
  await policy.set({ max_rate_limit: { requests_per_minute: 5, per_user: { requests_per_hour: 5 } } });
  const per_user = { requests_per_hour: 5 };
  const { key_id } = await dashboard.createKey({ rate_limit: { requests_per_minute: 5, per_user } });
  for (const [update_mask, rate_limit, field] of [
    ["rate_limit.requests_per_minute", { requests_per_minute: 6 }, "requests_per_minute"],
    ["rateLimit.requestsPerMinute", { requests_per_minute: 0 }, "requests_per_minute"],
    ["rate_limit.per_user", {}, "per_user.requests_per_hour"],
    ["rate_limit.per_user.requests_per_hour", { per_user: { requests_per_hour: 6 } }, "per_user.requests_per_hour"],
  ] as const)
    expectPrecondition(
      await dashboard.call("update", { key_id, rate_limit, update_mask }),
      `rate_limit.${field}`,
      "1 to 5",
    );
  await dashboard.result("update", { key_id, rate_limit: { burst_size: 2 }, update_mask: "rate_limit.burst_size" });
});

test("a key's life is counted from its creation, so that no number of updates makes it longer", async () => {
  const policy = policyOf(latchkey);
  const dashboard = dashboardOf(latchkey, policy.tenant);
  await policy.set({ max_lifetime_hours: 2 });
  const { key_id } = await dashboard.createKey({ expires_at: instant(latchkey, HOUR) });
  latchkey.clock.advance(HOUR / 2);
  const longer = { key_id, expires_at: instant(latchkey, 2 * HOUR), update_mask: "expires_at" };
  expectPrecondition(await dashboard.call("update", longer), "expires_at", "max_lifetime_hours");
});

describe("the number of keys", () => {
  const KEY = { name: "a key", permissions: ["plans:read"] };
  const FULL = "the tenant has 3 keys that are active or disabled, and may have 3 by the rule max_keys";

  test("is bounded by the operator's number where the tenant has none, also for the operator", async () => {
    const dashboard = dashboardOf(small);
    expect((await policyOf(small, dashboard.tenant).get()).max_keys).toBe(3);
    for (let n = 0; n < 3; n++) await dashboard.createKey();
    expectPrecondition(await dashboard.call("create", KEY), "max_keys", FULL, "revoke one");
    const byOperator = await operatorOf(small).call("keys/create", { ...KEY, tenant_id: dashboard.tenant });
    expectPrecondition(byOperator, "max_keys", FULL);
    await dashboardOf(small).createKey();
  });

  test("counts disabled keys, and a rotation's old key until it ends", async () => {
    const dashboard = dashboardOf(small);
    const [one, other] = [await dashboard.createKey(), await dashboard.createKey(), await dashboard.createKey()];
    await dashboard.result("disable", { key_id: one.key_id });
    expectPrecondition(await dashboard.call("create", KEY), "max_keys", FULL);
    const { key_id } = other;
    expectPrecondition(
      await dashboard.call("rotate", { key_id }),
      "max_keys",
      FULL,
      "or rotate with grace_period_hours 0",
    );
    await dashboard.result("rotate", { key_id, grace_period_hours: 0 });
    expectPrecondition(await dashboard.call("create", KEY), "max_keys", FULL);
  });

  test("is exact while many are created at once", async () => {
    const dashboard = dashboardOf(small);
    const answers = await Promise.all(Array.from({ length: 20 }, () => dashboard.call("create", KEY)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expectFault(answer, 400, "failed_precondition");
  });

  test("of a tenant may be lower, and not higher, than the operator's", async () => {
    const policy = policyOf(small);
    await policy.set({ max_keys: 1 });
    await dashboardOf(small, policy.tenant).createKey();
    const answer = await dashboardOf(small, policy.tenant).call("create", KEY);
    expectPrecondition(answer, "max_keys", "has 1 keys", "may have 1");
    expectInvalid(await policy.call("set", { policy: { max_keys: 4 } }), "policy.max_keys", "must be at most 3");
  });
});
