import { describe, expect, test } from "vitest";
import { eventsOf } from "../harness/audit.ts";
import { newEmployer, sharedFederation } from "../harness/federation.ts";

const service = await sharedFederation();

describe("a new rule", () => {
  test("has what was sent, the discovered address of the keys, and the longest life", async () => {
    const employer = await newEmployer(service);
    const rule = await employer.create();
    expect(rule).toEqual({
      ...employer.values(),
      rule_id: expect.stringMatching(/^fed_[0-9a-f]{32}$/),
      jwks_url: `${employer.platform.issuer}/keys`,
      // The former names, until 0.1.0.
      jwksUrl: `${employer.platform.issuer}/keys`,
      claimRules: employer.values().claim_rules,
      ttl_seconds: 900,
      status: "FEDERATION_RULE_STATUS_ENABLED",
      created_at: expect.stringMatching(/^\d{4}-/),
      updated_at: rule.created_at,
    });
    expect((await employer.json("get", { rule_id: rule.rule_id })).result).toEqual(rule);
  });

  test("has the keys that were pasted, and the life that was asked for", async () => {
    const employer = await newEmployer(service);
    const changes = { issuer: "https://kubernetes.default.svc", jwks: employer.platform.jwks, ttl_seconds: 60 };
    const { jwksUrl, ...rule } = await employer.create(changes);
    expect(jwksUrl).toBeUndefined();
    expect(rule).toMatchObject(changes);
  });

  test("is in the audit trail with its members", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create();
    const [event] = await eventsOf(service.latchkey, employer.tenant, { action: "federation.rule_created" });
    expect(event).toMatchObject({
      target_id: rule_id,
      changes: { audience: { new: employer.audience }, claimRules: { new: ['repository_id equals "42"'] } },
    });
  });

  // threat: D13
  test("of a secret key with api_keys:admin gives what that key has, too", async () => {
    const employer = await newEmployer(service);
    const { key } = await service.latchkey.createKey(employer.headers, {
      permissions: ["api_keys:admin", "conversations:read"],
    });
    const asKey = (changes: object) => employer.call("create", employer.values(changes), { "x-api-key": key });
    expect((await asKey({})).status).toBe(200);
    const beyond = await asKey({ scopes: ["conversations:read", "plans:read"] });
    expect([beyond.status, beyond.json.reason, beyond.json.field]).toEqual([403, "insufficient_scope", "scopes[1]"]);
  });
});
