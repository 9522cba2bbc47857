// promise: access.scopes, access.unstored
import { describe, expect, test } from "vitest";
import { DERIVE, derivingKey } from "../harness/derived-tokens.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();

describe("a token is denied: 403", () => {
  test.each([
    [["plans:read"], "plans:write"],
    [["plans:read"], "plans:*"],
    [["plans:*"], "*"],
    [["plans:*", "conversations:*"], "billing:read"],
    [["api_keys:read"], "api_keys:admin"],
  ])("to a key with %j that asks for %s", async (permissions, scope) => {
    const key = await derivingKey(latchkey, { permissions });
    const { status, json } = await key.call({ scopes: [permissions[0], scope] });
    expect({ status, reason: json.denial_reason }).toEqual({ status: 403, reason: "insufficient_scope" });
    expect(json.message).toContain(`scopes[1]: this API key does not have the scope "${scope}"`);
  });

  test("with a user, to a key without users:impersonate", async () => {
    const { status, json } = await (await derivingKey(latchkey)).call({ scopes: ["plans:read"], user_id: "user-1" });
    expect({ status, reason: json.denial_reason }).toEqual({ status: 403, reason: "insufficient_scope" });
    expect(json.message).toContain("user_id: needs the scope users:impersonate");
  });

  test("to dashboard users and to the operator", async () => {
    for (const headers of [await latchkey.dashboard(), OPERATOR]) {
      const { status, json } = await latchkey.call(DERIVE, { scopes: ["plans:read"] }, headers);
      expect({ status, reason: json.denial_reason }).toEqual({ status: 403, reason: "insufficient_scope" });
    }
  });
});

// threat: D5
test("a token derives no other one, though its key may", async () => {
  const key = await derivingKey(latchkey, { permissions: ["*"] });
  const { token } = await key.derive({ scopes: ["*"], ttl_seconds: 60 });
  const answer = await latchkey.call(DERIVE, { scopes: ["plans:read"] }, { authorization: `Bearer ${token}` });
  const { status, json } = answer;
  expect([status, json.denial_reason, json.reason]).toEqual([403, "insufficient_scope", "token_not_allowed"]);
});

test("a key derives no more than it may now", async () => {
  const key = await derivingKey(latchkey);
  const dashboard = dashboardOf(latchkey, key.tenant);
  await key.derive({ scopes: ["conversations:write"] });
  const update = { key_id: key.key_id, permissions: ["plans:read"], update_mask: "permissions" };
  await dashboard.result("update", update);
  expect((await key.call({ scopes: ["conversations:write"] })).status).toBe(403);
});

test("the token is in no line of the log", async () => {
  const { token, token_id } = await (await derivingKey(latchkey)).derive({ scopes: ["plans:read"] });
  const log = latchkey.logLines.join("");
  expect(log).toContain(token_id);
  expect(log).not.toContain(token.split(".")[2]);
});
