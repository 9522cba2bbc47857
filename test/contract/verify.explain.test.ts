// promise: verify.spends
import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";

const VERIFY = "/api/v1/auth/verify";

const latchkey = await sharedLatchkey();

async function newKey(fields: object = {}) {
  const dashboard = await latchkey.dashboard();
  return { dashboard, ...(await latchkey.createKey(dashboard, { permissions: ["plans:read"], ...fields })) };
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

test("explain reports each check of a key in order", async () => {
  const { dashboard, key_id } = await newKey({ rate_limit: { requests_per_minute: 7 } });
  const explanation = await explain(dashboard, { key_id, scope: "plans:read" });
  expect(explanation).toMatchObject({ allowed: true, denial_reason: "", rate_limit: { limit: 7, remaining: 7 } });
  expect(explanation.steps.map(({ name, passed }) => [name, passed])).toEqual([
    ["status", true],
    ["source", true],
    ["rate_limit", true],
    ["scope", true],
  ]);
});

test("denial_reason is that of the first failed check, and the checks after it are reported, too", async () => {
  const { dashboard, key_id, key } = await newKey({ rate_limit: { requests_per_minute: 1 } });
  await latchkey.call(VERIFY, {}, { "x-api-key": key });
  const limited = await explain(dashboard, { key_id, scopes: ["plans:read", "users:read"] });
  expect(limited).toMatchObject({ allowed: false, denial_reason: "rate_limited" });
  expect(limited.steps.map(({ passed }) => passed)).toEqual([true, true, false, true, false]);
  await latchkey.call("/api/v1/api-keys/revoke", { key_id }, dashboard);
  const revoked = await explain(dashboard, { key_id, scope: "plans:read" });
  expect(revoked).toMatchObject({ allowed: false, denial_reason: "api_key_revoked" });
});

test("explain reports a publishable key without configuration, and a scope that no such key may use", async () => {
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

test("explain predicts the answer that the key gets", async () => {
  for (const fields of [{}, { rate_limit: { requests_per_minute: 1 } }, { permissions: ["users:*"] }]) {
    const { dashboard, key_id, key } = await newKey(fields);
    for (let n = 0; n < 3; n++) {
      const predicted = await explain(dashboard, { key_id, scope: "plans:read" });
      const real = await latchkey.call(VERIFY, { scope: "plans:read" }, { "x-api-key": key });
      expect(real.json.denial_reason ?? "").toBe(predicted.denial_reason);
    }
  }
});

test("explain spends nothing and counts nothing", async () => {
  const { dashboard, key_id } = await newKey({ rate_limit: { requests_per_minute: 2 } });
  for (let n = 0; n < 5; n++) expect((await explain(dashboard, { key_id })).rate_limit.remaining).toBe(2);
  const usage = await latchkey.call("/api/v1/api-keys/usage", { key_id }, dashboard);
  expect(usage.json.result.total_verifications).toBe(0);
});
