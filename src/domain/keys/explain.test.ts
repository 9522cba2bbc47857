import { describe, expect, test } from "vitest";
import { accessRules } from "../../../test/harness/access-rules.ts";
import { ACT } from "../../../test/harness/act.ts";
import { admissionAt } from "../../../test/harness/memory-admission.ts";
import { createMemoryKeys, later, NOW, newKey } from "../../../test/harness/memory-keys.ts";
import { dashboardUser } from "../../../test/harness/principals.ts";
import { createAuthority } from "../access/authority.ts";
import type { Principal } from "../access/principal.ts";
import type { Rights } from "../access/scopes.ts";
import type { KeyRecord } from "../credentials/key.ts";
import type { KeySource } from "../tokens/claims.ts";
import type { KeySetReport, KeysInUse } from "../tokens/key-set-report.ts";
import { DENIALS } from "../vocabulary/denial.ts";
import { explainKey } from "./explain.ts";
import { isCompleteOidc } from "./oidc.ts";
import { keyNotFound } from "./read.ts";

const OIDC = {
  issuer: "https://idp.example",
  jwksUrl: "https://idp.example/jwks.json",
  audience: "app",
  userIdClaim: "sub",
  requiredClaims: {},
};
const USABLE = { kid: "k1", algs: ["ES256"], problem: undefined };
const UNUSABLE = { kid: "k2", algs: [], problem: "is for encryption" };
const IN_USE: KeysInUse = { fetchedAt: NOW, keyCount: 2, keys: [USABLE, UNUSABLE] };
const SOURCE = "Users' tokens must come from https://idp.example for app.";
const ADMIN: Rights = { scopes: ["*"], includeReserved: false };
const LIMIT = { requestsPerMinute: 2, requestsPerHour: 0, burstSize: 0 };

/** A stored key, and what a dashboard user of its tenant reads about it. */
async function start(fields: Partial<KeyRecord> = {}, report: KeySetReport = { problem: undefined, inUse: IN_USE }) {
  const keys = createMemoryKeys();
  const { record, secretHash } = newKey({ rateLimit: LIMIT, ...fields });
  await keys.insertKey({ record, secretHash }, ACT);
  const inspected: KeySource[] = [];
  const admission = admissionAt(NOW, keys);
  const tokens = {
    async inspectKeySet(source: KeySource) {
      inspected.push(source);
      return report;
    },
  };
  const user = dashboardUser({ tenantId: record.tenantId, rights: ADMIN });
  return {
    record,
    inspected,
    spend: async () => {
      const presented = await admission.find(secretHash);
      return presented && admission.take(presented, { userId: null, cost: 1 });
    },
    explain: (scopes: readonly string[] = [], principal: Principal = user, keyId = record.keyId, cost = 1) =>
      explainKey(
        { keys, admission, tokens, authority: createAuthority(accessRules()), isUsableOidc: isCompleteOidc },
        principal,
        keyId,
        {
          scopes: scopes.map((scope) => ["scope", scope] as const),
          cost,
        },
      ),
  };
}

describe("the explanation of a key", () => {
  test("has each check of a request in order, and spends nothing", async () => {
    const { record, inspected, explain } = await start();
    const resetAt = NOW.toISOString().replace("00.123", "01.000");
    for (let n = 0; n < 2; n++) {
      expect(await explain(["users:read"])).toEqual({
        denial: null,
        steps: [
          { name: "status", denial: null, detail: "The key is active." },
          { name: "rate_limit", denial: null, detail: `2 of 2 requests remain until ${resetAt}.` },
          { name: "scope", denial: null, detail: "The key's permissions grant users:read." },
        ],
        limit: { limit: 2, remaining: 2, resetAt: new Date(resetAt), atOnce: 2 },
        keySet: undefined,
      });
    }
    expect(record.type).toBe("secret");
    expect(inspected).toEqual([]);
  });

  test("names the first failure, and shows those behind it", async () => {
    const { spend, explain } = await start();
    await spend();
    await spend();
    const limited = await explain(["plans:read", "users:read"]);
    expect(limited).toMatchObject({ denial: "rate_limited", limit: { limit: 2, remaining: 0 } });
    expect(limited.steps).toMatchObject([
      { name: "status", denial: null },
      { name: "rate_limit", denial: "rate_limited", detail: expect.stringMatching(/^0 of 2 requests remain until /) },
      { name: "scope", denial: "insufficient_scope", detail: "The key's permissions do not grant plans:read." },
      { name: "scope", denial: null },
    ]);
  });

  test("decides by the bucket too, though the limit that it shows is the window", async () => {
    const rateLimit = { requestsPerMinute: 120, requestsPerHour: 0, burstSize: 2 };
    const { record, spend, explain } = await start({ rateLimit });
    await spend();
    const step = async (cost: number) =>
      (await explain([], undefined, record.keyId, cost)).steps.find(({ name }) => name === "rate_limit");
    const admitted = "Of them 1 would be admitted at once now.";
    expect(await step(1)).toMatchObject({ denial: null, detail: expect.stringContaining(admitted) });
    expect(await step(2)).toMatchObject({ denial: "rate_limited", detail: expect.stringContaining(admitted) });
    const never = "A request that costs 3 is never admitted.";
    expect(await step(3)).toMatchObject({ denial: "rate_limited", detail: expect.stringContaining(never) });
    expect((await explain()).limit).toMatchObject({ limit: 120, remaining: 119 });
  });

  test("has no key set, even if its row has the address of one", async () => {
    const { inspected, explain } = await start({ oidc: OIDC });
    expect((await explain()).keySet).toBeUndefined();
    expect(inspected).toEqual([]);
  });

  test.each([
    ["revoked", { revokedAt: NOW }],
    ["disabled", { disabledAt: NOW }],
    ["expired", { expiresAt: NOW }],
  ] as const)("says that it is %s", async (status, fields) => {
    const { explain } = await start(fields);
    const denial = `api_key_${status}` as const;
    const { steps, ...explanation } = await explain();
    expect(explanation).toMatchObject({ denial });
    expect(steps[0]).toEqual({ name: "status", denial, detail: DENIALS[denial].sentence });
  });
});

describe("the explanation of a publishable key", () => {
  const publishable = (report?: KeySetReport, oidc: KeyRecord["oidc"] = OIDC) =>
    start({ type: "publishable", oidc }, report);

  test("says where tokens must come from, and how many keys verify them", async () => {
    const { record, inspected, explain } = await publishable();
    const { denial, steps, keySet } = await explain();
    expect(denial).toBeNull();
    expect(steps.map(({ name }) => name)).toEqual(["status", "oidc", "rate_limit"]);
    const detail = `${SOURCE} Usable keys: 1 of 2, fetched at ${NOW.toISOString()}.`;
    expect(steps[1]).toEqual({ name: "oidc", denial: null, detail });
    expect(keySet).toEqual({ problem: undefined, inUse: IN_USE });
    expect(inspected).toEqual([{ jwksUrl: OIDC.jwksUrl, jwksOwner: { kind: "tenant", tenantId: record.tenantId } }]);
  });

  test("says that the key set could not be fetched, while its keys are used", async () => {
    const { explain } = await publishable({ problem: "it timed out", inUse: IN_USE });
    const problem = "The key set at the key's jwksUrl could not be fetched: it timed out.";
    const detail = `${problem} ${SOURCE} Usable keys: 1 of 2, fetched at ${NOW.toISOString()}.`;
    expect((await explain()).steps[1]).toEqual({ name: "oidc", denial: null, detail });
  });

  test("is verifier_error without any keys", async () => {
    const { explain } = await publishable({ problem: "it timed out", inUse: undefined });
    const detail = "The key set at the key's jwksUrl could not be fetched: it timed out.";
    const { denial, steps } = await explain();
    expect(denial).toBe("verifier_error");
    expect(steps[1]).toEqual({ name: "oidc", denial, detail });
  });

  test("is jwt_invalid_signature if no key is usable, unless some are not reported", async () => {
    const none = { fetchedAt: later(1), keyCount: 1, keys: [UNUSABLE] };
    const whole = await publishable({ problem: undefined, inUse: none });
    expect((await whole.explain()).steps[1]).toEqual({
      name: "oidc",
      denial: "jwt_invalid_signature",
      detail: `${SOURCE} Usable keys: 0 of 1, fetched at ${later(1).toISOString()}.`,
    });
    const part = await publishable({ problem: undefined, inUse: { ...none, keyCount: 33 } });
    expect((await part.explain()).denial).toBeNull();
  });

  test("is misconfigured without OIDC, or with a part of it", async () => {
    const denial = "misconfigured_publishable_key";
    for (const oidc of [null, { ...OIDC, audience: "" }]) {
      const { inspected, explain } = await publishable(undefined, oidc);
      const { steps, ...explanation } = await explain();
      expect(explanation).toMatchObject({ denial, keySet: undefined });
      expect(steps[1]).toEqual({ name: "oidc", denial, detail: DENIALS[denial].sentence });
      expect(inspected).toEqual([]);
    }
  });
});

describe("an explanation", () => {
  test("is for dashboard users with a tenant", async () => {
    const { record, explain } = await start();
    const key: Principal = {
      kind: "secret_key",
      key: record,
      tenantId: record.tenantId,
      onBehalfOf: null,
      rights: ADMIN,
    };
    await expect(explain([], key)).rejects.toMatchObject({
      reason: "insufficient_scope",
      message: "explain is for dashboard users; call with only a user token.",
    });
    const without = dashboardUser({ tenantId: null });
    await expect(explain([], without)).rejects.toMatchObject({ reason: "tenant_required" });
    await expect(explain([], { ...without, tenantId: record.tenantId })).rejects.toMatchObject({
      reason: "insufficient_scope",
      message: expect.stringContaining("lacks the scope api_keys:read"),
    });
  });

  test("needs the id of a key of the tenant", async () => {
    const { explain } = await start();
    const stranger = dashboardUser({ tenantId: "ten_other", rights: ADMIN });
    await expect(explain([], undefined, "")).rejects.toThrow("key_id: is required with explain");
    await expect(explain([], undefined, "key_unknown")).rejects.toThrow(keyNotFound());
    await expect(explain([], undefined, "x".repeat(73))).rejects.toThrow(keyNotFound());
    await expect(explain([], stranger)).rejects.toThrow(keyNotFound());
  });

  test("asks for known scopes, before it looks for the key", async () => {
    const { explain } = await start();
    await expect(explain(["plans:reed"], undefined, "key_unknown")).rejects.toThrow(
      'scope: is not a known scope; did you mean "plans:read"?',
    );
  });
});
