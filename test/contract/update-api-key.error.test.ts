// promise: mask.names, mask.clears, mask.rest, keys.expiry, scopes.publishable
import { describe, expect, test } from "vitest";
import { expectInvalid, expectPrecondition } from "../harness/error-answers.ts";
import type { Answer, JsonObject } from "../harness/http.ts";
import { dashboardOf, instant, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";
import { testKeyIdErrors } from "./key-id.suite.ts";

const latchkey = await sharedLatchkey();

testKeyIdErrors(latchkey, "update");

async function recordedKey(fields: JsonObject) {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey({ description: "before", ...fields });
  return { dashboard, key_id, before: await dashboard.result("get", { key_id }) };
}

const recorded = await recordedKey({});
const publishable = await recordedKey(PUBLISHABLE);

/** An update that is rejected and changes nothing. */
async function refusedUpdate(body: JsonObject, { dashboard, key_id, before } = recorded): Promise<Answer> {
  const answer = await dashboard.call("update", { key_id, ...body });
  expect(await dashboard.result("get", { key_id })).toEqual(before);
  return answer;
}

async function dashboardWithKey() {
  const dashboard = dashboardOf(latchkey);
  return { ...dashboard, ...(await dashboard.createKey()) };
}

describe("update_mask", () => {
  // threat: B7
  test.each([undefined, null, "", " ", "\t"])("the empty mask %j is refused", async (update_mask) => {
    const answer = await refusedUpdate({ name: "after", update_mask });
    expectInvalid(answer, "update_mask", "required", "rate_limit", "expires_at");
  });

  // threat: B7
  test.each([",", "name;description", "name,description,x"])("the junk mask %j is refused", async (update_mask) => {
    const answer = await refusedUpdate({ name: "after", description: "after", update_mask });
    expectInvalid(answer, "update_mask");
  });

  // threat: B6
  test.each(["key_id", "keyType", "publishableConfig.oidc.issuer", "*", "__proto__"])(
    "%s cannot be updated, and the message names it",
    async (field) => {
      const answer = await refusedUpdate({ name: "after", update_mask: `name,${field}` });
      expectInvalid(answer, "update_mask", `"${field}"`, "name, description, permissions");
    },
  );

  test.each([
    [
      "rate_limit.burst",
      "name rate_limit, which is replaced as a whole, or of rate_limit or rate_limit.per_user one of",
    ],
    ["rate_limit.per_user.x", "requests_per_minute, requests_per_hour, burst_size"],
    ["permissions.0", "name permissions, which is replaced as a whole"],
    ["status", "use disable, enable or revoke"],
  ])("the message about %s says what to do instead", async (field, says) => {
    expectInvalid(await refusedUpdate({ name: "after", update_mask: field }), "update_mask", `"${field}"`, says);
  });

  test("a mask has at most 1,024 characters, even if every name in it can be changed", async () => {
    const fitting = `${"name,".repeat(204)}name`;
    const { key_id, call } = await dashboardWithKey();
    expect((await call("update", { key_id, name: "after", update_mask: fitting })).status).toBe(200);
    const beyond = await refusedUpdate({ name: "after", update_mask: `${fitting} ` });
    expectInvalid(beyond, "update_mask", "must be at most 1024 characters");
  });

  test("a long mask is refused with a short message", async () => {
    expectInvalid(await refusedUpdate({ name: "x", update_mask: "x".repeat(500_000) }), "update_mask");
  });

  test("line breaks and direction marks in a mask are not repeated raw", async () => {
    expectInvalid(await refusedUpdate({ name: "x", update_mask: "name\r\nx: y\u202e" }), "update_mask");
  });

  test.each([["name"], { paths: ["name"] }, 1, true])(
    "rejects the mask %j, which is not a string",
    async (update_mask) => {
      expectInvalid(await refusedUpdate({ name: "after", update_mask }), "update_mask", "string");
    },
  );
});

test("a member that the mask does not name is validated, too", async () => {
  const body = { permissions: ["users:read"], update_mask: "permissions" };
  expectInvalid(await refusedUpdate({ ...body, name: "x".repeat(129) }), "name");
  expectInvalid(await refusedUpdate({ ...body, rate_limit: { burst_size: -1 } }), "rate_limit.burst_size");
});

describe("clearing", () => {
  // threat: B9
  test.each([undefined, null, "", " ", "\u0085", "\u200b"])("a name cannot be cleared (%j)", async (name) => {
    expectInvalid(await refusedUpdate({ name, update_mask: "name" }), "name");
  });

  // threat: B9
  test.each([undefined, null, []])("permissions cannot be cleared (%j)", async (permissions) => {
    expectInvalid(await refusedUpdate({ permissions, update_mask: "permissions" }), "permissions", "required");
  });

  test("one invalid member keeps the others from changing", async () => {
    const body = { description: "after", update_mask: "description,name" };
    expectInvalid(await refusedUpdate(body), "name");
  });
});

describe("values", () => {
  test.each([
    ["name", "😀".repeat(129)],
    ["description", "😀".repeat(1_025)],
    ["permissions", Array.from({ length: 65 }, (_, i) => `plans:x${i}`)],
  ])("a %s that is too long is refused", async (field, value) => {
    expectInvalid(await refusedUpdate({ [field]: value, update_mask: field }), field);
  });

  test("a limit out of range is refused", async () => {
    for (const value of [-1, 1.5, 2_147_483_648]) {
      const answer = await refusedUpdate({ rate_limit: { burst_size: value }, update_mask: "rate_limit" });
      expectInvalid(answer, "rate_limit.burst_size");
    }
  });

  test("an expires_at that is now or past is refused", async () => {
    for (const ms of [0, -HOUR]) {
      const answer = await refusedUpdate({ expires_at: instant(latchkey, ms), update_mask: "expires_at" });
      expectInvalid(answer, "expires_at", "future");
    }
  });

  test.each([
    ["conversations:raed", 'did you mean "conversations:read"'],
    ["users:**", "did you mean"],
    ["USERS:READ", "did you mean"],
  ])("the unknown scope %s is 400 with a suggestion", async (scope, offer) => {
    const answer = await refusedUpdate({ permissions: ["plans:read", scope], update_mask: "permissions" });
    expectInvalid(answer, "permissions[1]", offer);
  });

  // threat: P4
  test.each([
    ...["*", "users:*", "users:impersonate", "billing:*", "billing:read", "billing:write", "api_keys:read"],
    ...["webhooks:read", "tenants:read", "system:read", "system:*", "**", "*:*", "u*", "users*", ":*", "billing*"],
  ])("a publishable key cannot be given %s later", async (scope) => {
    const answer = await refusedUpdate({ permissions: [scope], update_mask: "permissions" }, publishable);
    expectInvalid(answer, "permissions[0]");
  });

  // threat: X16
  test.each(["publishableConfig", "keyType", "created_at", "status", "tenant_id", "key", "expires"])(
    "a %s in the request is refused, not ignored",
    async (member) => {
      expectInvalid(await refusedUpdate({ [member]: "x", name: "after", update_mask: "name" }), member);
    },
  );

  test.each([
    ["publishableConfig", "cannot be updated"],
    ["keyType", "cannot be updated"],
    ["tenant_id", "cannot be updated"],
    ["status", "cannot be updated: use disable, enable or revoke"],
    ["expires", 'did you mean "expires_at"'],
  ])("the message about a %s in the request says that it %s", async (member, says) => {
    expectInvalid(await refusedUpdate({ [member]: "x", name: "after", update_mask: "name" }), member, says);
  });
});

describe("a key that ended", () => {
  // threat: R5
  test.each([
    { name: "after", update_mask: "name" },
    { permissions: ["*"], update_mask: "permissions" },
    { update_mask: "expires_at" },
  ])("a revoked key cannot be updated by %j", async (body) => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    const revoked = await dashboard.result("revoke", { key_id });
    expectPrecondition(await dashboard.call("update", { key_id, ...body }), "key_id", "revoked");
    expect(await dashboard.result("get", { key_id })).toEqual(revoked);
    expect(await useKey(latchkey, key)).toBe("api_key_revoked");
  });

  // threat: R6
  test("an expired key is revived neither by a later expires_at nor by none", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey({ expires_at: instant(latchkey, HOUR) });
    latchkey.clock.advance(HOUR);
    const expired = await dashboard.result("get", { key_id });
    for (const expires_at of [instant(latchkey, HOUR), null]) {
      const body = { key_id, name: "after", expires_at, update_mask: "name,expires_at" };
      expectPrecondition(await dashboard.call("update", body), "expires_at", "expired");
    }
    expect(await dashboard.result("get", { key_id })).toEqual(expired);
    expect(await useKey(latchkey, key)).toBe("api_key_expired");
  });

  // threat: R6
  test("the life of a rotated key cannot be lengthened, only shortened", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    const successor = await dashboard.result("rotate", { key_id, grace_period_hours: 2 });
    const update_mask = "expires_at";
    for (const expires_at of [instant(latchkey, 3 * HOUR), null]) {
      const answer = await dashboard.call("update", { key_id, expires_at, update_mask });
      expectPrecondition(answer, "expires_at", successor.key_id);
    }
    await dashboard.result("update", { key_id, expires_at: instant(latchkey, HOUR), update_mask });
    const again = await dashboard.call("update", { key_id, expires_at: instant(latchkey, 2 * HOUR), update_mask });
    expectPrecondition(again, "expires_at", successor.key_id);
    latchkey.clock.advance(HOUR);
    expect(await useKey(latchkey, key)).toBe("api_key_expired");
  });

  // threat: R6
  test("a rotated key whose grace is over cannot be revived", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    await dashboard.result("rotate", { key_id, grace_period_hours: 0 });
    const body = { key_id, expires_at: instant(latchkey, HOUR), update_mask: "expires_at" };
    expectPrecondition(await dashboard.call("update", body), "expires_at");
    expect(await useKey(latchkey, key)).toBe("api_key_expired");
  });

  // threat: R4
  test("after an update concurrent with a revocation the key is revoked", async () => {
    const dashboard = dashboardOf(latchkey);
    for (let round = 0; round < 10; round++) {
      const { key, key_id } = await dashboard.createKey();
      const body = { key_id, permissions: ["*"], expires_at: null, update_mask: "permissions,expires_at" };
      const [updated, revoked] = await Promise.all([
        dashboard.call("update", body),
        dashboard.call("revoke", { key_id }),
        dashboard.call("enable", { key_id }),
      ]);
      expect([200, 400]).toContain(updated.status);
      expect(revoked.status).toBe(200);
      expect((await dashboard.result("get", { key_id })).status).toBe("KEY_STATUS_REVOKED");
      expect(await useKey(latchkey, key)).toBe("api_key_revoked");
    }
  });
});
