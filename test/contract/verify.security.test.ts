// promise: verify.same, verify.spends
import { describe, expect, test } from "vitest";
import { expectNotFound } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const VERIFY = "/api/v1/auth/verify";

const latchkey = await sharedLatchkey();

test("a key that lacks any of the scopes is denied", async () => {
  const { key } = await latchkey.createKey(await latchkey.dashboard(), { permissions: ["plans:read"] });
  for (const body of [{ scope: "plans:write" }, { scopes: ["plans:read", "users:read"] }]) {
    const { status, json } = await latchkey.call(VERIFY, body, { "x-api-key": key });
    expect({ status, reason: json.denial_reason }).toEqual({ status: 403, reason: "insufficient_scope" });
  }
});

describe("explain", () => {
  test("of another tenant's key is the same 404 as of an unknown one", async () => {
    const dashboard = await latchkey.dashboard();
    const { key_id } = await latchkey.createKey(await latchkey.dashboard());
    const foreign = await latchkey.call(VERIFY, { explain: true, key_id }, dashboard);
    const unknown = await latchkey.call(VERIFY, { explain: true, key_id: "key_none" }, dashboard);
    expectNotFound(foreign);
    expect(foreign.text).toBe(unknown.text);
  });

  test("is denied to API keys, and to dashboard users without a tenant", async () => {
    const { key, key_id } = await latchkey.createKey(await latchkey.dashboard(), { permissions: ["*"] });
    const byKey = await latchkey.call(VERIFY, { explain: true, key_id }, { "x-api-key": key });
    expect([byKey.status, byKey.json.denial_reason]).toEqual([403, "insufficient_scope"]);
    const token = await latchkey.dashboardToken({ tenant_id: undefined });
    const byUser = await latchkey.call(VERIFY, { explain: true, key_id }, { authorization: `Bearer ${token}` });
    expect([byUser.status, byUser.json.denial_reason]).toEqual([403, "tenant_required"]);
  });
});
