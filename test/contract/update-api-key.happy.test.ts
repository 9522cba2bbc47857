// promise: mask.names, mask.clears, limits.bursts
import { describe, expect, test } from "vitest";
import { UpdateApiKeyRequestSchema } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import type { JsonObject } from "../harness/http.ts";
import { dashboardOf, instant, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { maskMembers } from "../harness/narrowing-members.ts";
import { HOUR, SECOND } from "../harness/test-clock.ts";

const UNLIMITED = { requests_per_minute: 0, requests_per_hour: 0, burst_size: 0, unlimited: true };
const LIMIT = { requests_per_minute: 60, requests_per_hour: 600, burst_size: 6 };

const latchkey = await sharedLatchkey();

/** Creates a key with everything set, updates it, and returns the record before and after. */
async function update(body: JsonObject, fields: JsonObject = {}): Promise<{ before: JsonObject; after: JsonObject }> {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey({
    name: "before",
    description: "before",
    rate_limit: LIMIT,
    expires_at: instant(latchkey, 2 * HOUR),
    ...fields,
  });
  const before = await dashboard.result("get", { key_id });
  latchkey.clock.advance(SECOND);
  const answered = await dashboard.result("update", { key_id, ...body });
  const after = await dashboard.result("get", { key_id });
  expect(answered).toEqual(after);
  return { before, after };
}

describe("the mask decides", () => {
  // threat: B5
  test("only the fields in update_mask change, whatever else the body contains", async () => {
    const { before, after } = await update({
      name: "after",
      description: "after",
      permissions: ["*"],
      rate_limit: { requests_per_minute: 1 },
      expires_at: instant(latchkey, 9 * HOUR),
      update_mask: "name",
    });
    expect(after).toEqual({ ...before, name: "after", updated_at: after.updated_at });
    expect(Date.parse(after.updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at) + SECOND);
  });

  test("all five fields can change at once", async () => {
    const values = {
      name: "after",
      description: "after",
      permissions: ["plans:read"],
      rate_limit: { requests_per_minute: 1, requests_per_hour: 2, burst_size: 3 },
      expires_at: instant(latchkey, 9 * HOUR),
    };
    const { before, after } = await update({
      ...values,
      update_mask: "name,description,permissions,rate_limit,expires_at",
    });
    expect(after).toEqual({
      ...before,
      ...values,
      expires_at: after.expires_at,
      updated_at: after.updated_at,
    });
    expect(Date.parse(after.expires_at)).toBe(Date.parse(values.expires_at));
  });

  // threat: B8
  test.each([
    "rate_limit",
    "rateLimit",
    " rate_limit ",
    "rate_limit,rateLimit",
    "rateLimit,rate_limit,rate_limit",
    "\trate_limit\n",
  ])("the mask %j names rate_limit", async (update_mask) => {
    const rate_limit = { requests_per_minute: 7, requests_per_hour: 8, burst_size: 9 };
    const { before, after } = await update({ rate_limit, name: "no", update_mask });
    expect(after).toEqual({ ...before, rate_limit, updated_at: after.updated_at });
  });

  // threat: B8
  test.each(["expires_at", "expiresAt", "expires_at, expiresAt"])("the mask %j names expires_at", async (mask) => {
    const expires_at = instant(latchkey, 5 * HOUR);
    const { after } = await update({ expires_at, update_mask: mask });
    expect(Date.parse(after.expires_at)).toBe(Date.parse(expires_at));
  });

  // threat: B7
  test("duplicates and spaces in the mask are allowed", async () => {
    const { before, after } = await update({
      name: "after",
      description: "d",
      update_mask: " name ,description, name",
    });
    expect(after).toEqual({ ...before, name: "after", description: "d", updated_at: after.updated_at });
  });
});

describe("clearing", () => {
  // threat: B9
  test.each([undefined, null, ""])("a masked description that is %j is cleared", async (description) => {
    const { after } = await update({ description, update_mask: "description" });
    expect(after.description).toBe("");
  });

  test.each([undefined, null, {}])("a masked rate_limit that is %j makes the key unlimited", async (rate_limit) => {
    const { after } = await update({ rate_limit, update_mask: "rate_limit" });
    expect(after.rate_limit).toEqual(UNLIMITED);
  });

  test.each([undefined, null])("a masked expires_at that is %j makes the key never expire", async (expires_at) => {
    const { after } = await update({ expires_at, update_mask: "expires_at" });
    expect(after).not.toHaveProperty("expires_at");
  });

  // threat: B10
  test("rate_limit is replaced as a whole", async () => {
    const { after } = await update({ rate_limit: { requests_per_minute: 5 }, update_mask: "rate_limit" });
    expect(after.rate_limit).toEqual({ requests_per_minute: 5, requests_per_hour: 0, burst_size: 0 });
  });
});

describe("a member of rate_limit in the mask", () => {
  const OWN = { requests_per_minute: 5, requests_per_hour: 50, burst_size: 3 };
  const PER_USER = { requests_per_minute: 2, requests_per_hour: 20, burst_size: 1 };
  const LIMIT = { ...OWN, per_user: PER_USER };
  const GIVEN = {
    requests_per_minute: 7,
    requests_per_hour: 70,
    burst_size: 6,
    per_user: { requests_per_minute: 4, requests_per_hour: 40, burst_size: 2 },
  };

  // threat: B10
  test.each([
    ["rate_limit.requests_per_minute", { ...LIMIT, requests_per_minute: 7 }],
    ["rate_limit.requests_per_hour", { ...LIMIT, requests_per_hour: 70 }],
    ["rateLimit.requestsPerHour", { ...LIMIT, requests_per_hour: 70 }],
    ["rate_limit.burst_size", { ...LIMIT, burst_size: 6 }],
    ["rate_limit.per_user", { ...LIMIT, per_user: GIVEN.per_user }],
    ["rate_limit.per_user.requests_per_minute", { ...LIMIT, per_user: { ...PER_USER, requests_per_minute: 4 } }],
    ["rate_limit.per_user.requests_per_hour", { ...LIMIT, per_user: { ...PER_USER, requests_per_hour: 40 } }],
    ["rateLimit.perUser.burstSize", { ...LIMIT, per_user: { ...PER_USER, burst_size: 2 } }],
    ["rate_limit.burst_size, rate_limit.per_user", { ...LIMIT, burst_size: 6, per_user: GIVEN.per_user }],
    ["rate_limit.burst_size,rate_limit", GIVEN],
  ])("%s changes only that member", async (update_mask, expected) => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey({ rate_limit: LIMIT });
    const after = await dashboard.result("update", { key_id, rate_limit: GIVEN, update_mask });
    expect(after.rate_limit).toEqual(expected);
    expect((await dashboard.result("get", { key_id })).rate_limit).toEqual(expected);
  });

  test.each([
    ["rate_limit.requests_per_hour", { ...LIMIT, requests_per_hour: 0 }],
    ["rate_limit.per_user", OWN],
    ["rate_limit", UNLIMITED],
  ])("%s is cleared if the request lacks it", async (update_mask, expected) => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey({ rate_limit: LIMIT });
    for (const rate_limit of [undefined, null, {}])
      expect((await dashboard.result("update", { key_id, rate_limit, update_mask })).rate_limit).toEqual(expected);
  });

  test("gives a key without a limit of each user one, and zeros alone remove it", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    const update = (requests_per_minute: number) =>
      dashboard.result("update", {
        key_id,
        rate_limit: { per_user: { requests_per_minute } },
        update_mask: "rate_limit.per_user.requests_per_minute",
      });
    expect((await update(3)).rate_limit.per_user).toEqual({
      requests_per_minute: 3,
      requests_per_hour: 0,
      burst_size: 0,
    });
    expect((await update(0)).rate_limit).not.toHaveProperty("per_user");
  });
});

test("a burst_size without a cap is said to limit nothing, by the record of every response", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey({ rate_limit: { burst_size: 3, per_user: { burst_size: 2 } } });
  const both = "rate_limit.burst_size and rate_limit.per_user.burst_size limit nothing";
  const { rate_limit } = await dashboard.result("get", { key_id });
  expect(rate_limit.warning).toBe(`${both} without requests_per_minute or requests_per_hour beside it.`);
  // A client that sends a record back may have the warning in it.
  const changed = { ...rate_limit, requests_per_minute: 1, unlimited: undefined };
  const after = await dashboard.result("update", { key_id, rate_limit: changed, update_mask: "rate_limit" });
  expect(after.rate_limit.warning).toMatch(/^rate_limit.per_user.burst_size limits nothing/);
  await dashboard.result("update", { key_id, update_mask: "rate_limit.per_user" });
  const { keys } = (await dashboard.call("list", {})).json;
  expect(keys[0].rate_limit).toEqual({ requests_per_minute: 1, requests_per_hour: 0, burst_size: 3 });
});

test("an update to the same values leaves updated_at", async () => {
  const fields = {
    permissions: ["users:read"],
    metadata: { plan: "free", seats: [1, null] },
    external_id: "customer",
    allowed_ips: ["10.0.0.0/8"],
    rate_limit: { ...LIMIT, per_user: { ...LIMIT, requests_per_minute: 1 } },
  };
  const masks = [...maskMembers(UpdateApiKeyRequestSchema), "rate_limit.burst_size"];
  const record = { ...fields, name: "before", description: "before" };
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey({ ...record, expires_at: instant(latchkey, 2 * HOUR) });
  const before = await dashboard.result("get", { key_id });
  latchkey.clock.advance(SECOND);
  for (const update_mask of [...masks, masks.join(",")]) {
    const { expires_at } = before;
    const after = await dashboard.result("update", { ...record, expires_at, key_id, update_mask });
    expect(after, update_mask).toEqual(before);
  }
});

describe("values", () => {
  test("names and descriptions are counted in characters", async () => {
    const name = "😀".repeat(128);
    const description = "😀".repeat(1_024);
    const { after } = await update({ name, description, update_mask: "name,description" });
    expect({ name: after.name, description: after.description }).toEqual({ name, description });
  });

  test("duplicate permissions count once", async () => {
    const { after } = await update({
      permissions: ["plans:read", "users:read", "plans:read"],
      update_mask: "permissions",
    });
    expect(after.permissions).toEqual(["plans:read", "users:read"]);
  });

  test("a publishable key accepts permissions that are not blocked and keeps its configuration", async () => {
    const fields = { ...PUBLISHABLE, permissions: ["conversations:read"] };
    const { before, after } = await update({ permissions: ["plans:*"], update_mask: "permissions" }, fields);
    expect(after).toEqual({ ...before, permissions: ["plans:*"], updated_at: after.updated_at });
  });
});

describe("effect", () => {
  // threat: P13
  test("a removed scope is denied from the next call on, and an added one granted", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey({ permissions: ["conversations:read"] });
    expect(await useKey(latchkey, key)).toBe("admitted");
    await dashboard.result("update", { key_id, permissions: ["plans:read"], update_mask: "permissions" });
    expect(await useKey(latchkey, key)).toBe("insufficient_scope");
    await dashboard.result("update", { key_id, permissions: ["*"], update_mask: "permissions" });
    expect(await useKey(latchkey, key)).toBe("admitted");
  });

  test("an earlier expires_at ends the key earlier, a later one later", async () => {
    const dashboard = dashboardOf(latchkey);
    const shortened = await dashboard.createKey({ expires_at: instant(latchkey, 2 * HOUR) });
    const lengthened = await dashboard.createKey({ expires_at: instant(latchkey, HOUR) });
    const update_mask = "expires_at";
    await dashboard.result("update", { key_id: shortened.key_id, expires_at: instant(latchkey, HOUR), update_mask });
    await dashboard.result("update", {
      key_id: lengthened.key_id,
      expires_at: instant(latchkey, 2 * HOUR),
      update_mask,
    });
    latchkey.clock.advance(HOUR + SECOND);
    expect(await useKey(latchkey, shortened.key)).toBe("api_key_expired");
    expect(await useKey(latchkey, lengthened.key)).toBe("admitted");
  });

  test("a disabled key can be updated and stays disabled", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    await dashboard.result("disable", { key_id });
    const record = await dashboard.result("update", { key_id, name: "after", update_mask: "name" });
    expect(record).toMatchObject({ name: "after", status: "KEY_STATUS_DISABLED" });
  });

  test("concurrent updates of different fields are all kept", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey();
    await Promise.all([
      dashboard.result("update", { key_id, name: "after", update_mask: "name" }),
      dashboard.result("update", { key_id, description: "after", update_mask: "description" }),
      dashboard.result("update", { key_id, permissions: ["plans:read"], update_mask: "permissions" }),
      dashboard.result("update", { key_id, rate_limit: LIMIT, update_mask: "rate_limit" }),
    ]);
    expect(await dashboard.result("get", { key_id })).toMatchObject({
      name: "after",
      description: "after",
      permissions: ["plans:read"],
      rate_limit: LIMIT,
    });
  });
});
