import { describe, expect, test } from "vitest";
import { expectInvalid, expectNotFound } from "../harness/error-answers.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";

const VERIFY = "/api/v1/auth/verify";
const latchkey = await sharedLatchkey();

async function newKey(fields: object = {}) {
  const tenant = newTenant();
  const dashboard = await latchkey.dashboard(tenant);
  return { tenant, dashboard, ...(await latchkey.createKey(dashboard, { permissions: ["plans:read"], ...fields })) };
}

async function explain(dashboard: Record<string, string>, body: object) {
  const answer = await latchkey.call(VERIFY, { explain: true, ...body }, dashboard);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.explanation as {
    allowed: boolean;
    denial_reason: string;
    steps: { name: string; passed: boolean; detail: string }[];
    rate_limit: { limit: number; remaining: number };
  };
}

describe("explain", () => {
  test("tells what a key would be answered, step by step", async () => {
    const { dashboard, key_id } = await newKey({ rate_limit: { requests_per_minute: 7 } });
    const explanation = await explain(dashboard, { key_id, scope: "plans:read" });
    expect(explanation).toMatchObject({ allowed: true, denial_reason: "", rate_limit: { limit: 7, remaining: 7 } });
    expect(explanation.steps.map(({ name, passed }) => [name, passed])).toEqual([
      ["status", true],
      ["rate_limit", true],
      ["scope", true],
    ]);
  });

  test("names the first failure in the gate's order, and shows those behind it", async () => {
    const { dashboard, key_id, key } = await newKey({ rate_limit: { requests_per_minute: 1 } });
    await latchkey.call(VERIFY, {}, { "x-api-key": key });
    const limited = await explain(dashboard, { key_id, scopes: ["plans:read", "users:read"] });
    expect(limited).toMatchObject({ allowed: false, denial_reason: "rate_limited" });
    expect(limited.steps.map(({ passed }) => passed)).toEqual([true, false, true, false]);
    await latchkey.call("/api/v1/api-keys/revoke", { key_id }, dashboard);
    const revoked = await explain(dashboard, { key_id, scope: "plans:read" });
    expect(revoked).toMatchObject({ allowed: false, denial_reason: "api_key_revoked" });
  });

  test("knows what a publishable key lacks, and may not do whatever it holds", async () => {
    const { dashboard, key_id } = await newKey({ keyType: "KEY_TYPE_PUBLISHABLE" });
    const explanation = await explain(dashboard, { key_id, scope: "billing:read" });
    expect(explanation.denial_reason).toBe("misconfigured_publishable_key");
    expect(explanation).not.toHaveProperty("key_set");
    expect(explanation.steps.map(({ name, passed }) => [name, passed])).toEqual([
      ["status", true],
      ["oidc", false],
      ["rate_limit", true],
      ["scope", false],
    ]);
  });

  test("agrees with what the key is then answered", async () => {
    for (const fields of [{}, { rate_limit: { requests_per_minute: 1 } }, { permissions: ["users:*"] }]) {
      const { dashboard, key_id, key } = await newKey(fields);
      for (let n = 0; n < 3; n++) {
        const told = await explain(dashboard, { key_id, scope: "plans:read" });
        const real = await latchkey.call(VERIFY, { scope: "plans:read" }, { "x-api-key": key });
        expect(real.json.denial_reason ?? "").toBe(told.denial_reason);
      }
    }
  });

  test("spends nothing and counts nothing", async () => {
    const { dashboard, key_id } = await newKey({ rate_limit: { requests_per_minute: 2 } });
    for (let n = 0; n < 5; n++) expect((await explain(dashboard, { key_id })).rate_limit.remaining).toBe(2);
    const usage = await latchkey.call("/api/v1/api-keys/usage", { key_id }, dashboard);
    expect(usage.json.result.total_verifications).toBe(0);
  });

  test("of another tenant's key and of none are the same 404", async () => {
    const [{ dashboard }, other] = [await newKey(), await newKey()];
    const foreign = await latchkey.call(VERIFY, { explain: true, key_id: other.key_id }, dashboard);
    const unknown = await latchkey.call(VERIFY, { explain: true, key_id: "key_none" }, dashboard);
    expectNotFound(foreign);
    expect(foreign.text).toBe(unknown.text);
  });

  test("is for dashboard users with a tenant", async () => {
    const { key, key_id } = await newKey({ permissions: ["*"] });
    const byKey = await latchkey.call(VERIFY, { explain: true, key_id }, { "x-api-key": key });
    expect([byKey.status, byKey.json.denial_reason]).toEqual([403, "insufficient_scope"]);
    const token = await latchkey.dashboardToken({ tenant_id: undefined });
    const homeless = await latchkey.call(VERIFY, { explain: true, key_id }, { authorization: `Bearer ${token}` });
    expect([homeless.status, homeless.json.denial_reason]).toEqual([403, "tenant_required"]);
  });

  test("needs a key_id, which is for explain only, and known scopes", async () => {
    const { dashboard, key_id } = await newKey();
    expectInvalid(await latchkey.call(VERIFY, { explain: true }, dashboard), "key_id", "required");
    expectInvalid(await latchkey.call(VERIFY, { key_id }, dashboard), "key_id", "explain");
    const unknown = { explain: true, key_id, scopes: ["plans:read", "plans:reed"] };
    expectInvalid(await latchkey.call(VERIFY, unknown, dashboard), "scopes[1]", "did you mean");
  });
});

describe("a dashboard user without a tenant", () => {
  test("is verified only where the asking service says that a tenant is optional", async () => {
    const headers = { authorization: `Bearer ${await latchkey.dashboardToken({ tenant_id: undefined })}` };
    const denied = await latchkey.call(VERIFY, {}, headers);
    expect([denied.status, denied.json.denial_reason]).toEqual([403, "tenant_required"]);
    const allowed = await latchkey.call(VERIFY, { tenant_optional: true }, headers);
    expect(allowed.json).toMatchObject({ caller: "CALLER_DASHBOARD_USER", tenant_id: "", user_id: "user-1" });
  });
});
