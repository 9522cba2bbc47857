import { describe, expect, test } from "vitest";
import { eventsOf } from "../harness/audit.ts";
import { newEmployer, newPlatform, sharedFederation } from "../harness/federation.ts";

const service = await sharedFederation();

describe("an update", () => {
  test.each<[string, object]>([
    ["name", { name: "Releases" }],
    ["audience", { audience: "https://other.example" }],
    ["claimRules", { claim_rules: [{ claim: "ref", equals: "refs/heads/main" }] }],
    ["scopes", { scopes: ["plans:read"] }],
    ["ttl_seconds", { ttl_seconds: 120 }],
    ["status", { status: "FEDERATION_RULE_STATUS_DISABLED" }],
  ])("of %s changes nothing else", async (update_mask, change) => {
    const employer = await newEmployer(service);
    const { updated_at: _before, ...rule } = await employer.create();
    const others = employer.values({ name: "x", audience: "x", scopes: ["conversations:*"], ttl_seconds: 60 });
    const body = { ...others, ...change, rule_id: rule.rule_id, update_mask };
    const { updated_at: _after, ...updated } = (await employer.json("update", body)).result;
    expect(updated).toEqual({ ...rule, ...change, claimRules: updated.claim_rules });
    const [event] = await eventsOf(service.latchkey, employer.tenant, { action: "federation.rule_updated" });
    expect(Object.keys(event?.changes ?? {})).toEqual([update_mask]);
  });

  test("of the issuer finds its keys again, unless they are sent, too", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create();
    const other = newPlatform(service.keyHost);
    const update = async (body: object, update_mask: string) =>
      (await employer.json("update", { rule_id, ...body, update_mask })).result;
    expect(await update({ issuer: other.issuer }, "issuer")).toMatchObject({ jwks_url: `${other.issuer}/keys` });
    const pasted = await update({ issuer: "https://cluster", jwks: other.jwks }, "issuer,jwks");
    expect(pasted.jwks).toEqual(other.jwks);
    expect([pasted.jwks_url, pasted.jwksUrl]).toEqual([undefined, undefined]);
    const jwksUrl = `${employer.platform.issuer}/keys`;
    const fetched = await update({ jwksUrl }, "jwksUrl");
    expect([fetched.jwksUrl, fetched.jwks]).toEqual([jwksUrl, undefined]);
  });

  test("of the key takes one that has the scopes", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create();
    const { key_id } = await service.latchkey.createKey(employer.headers);
    const body = { rule_id, key_id, update_mask: "key_id" };
    expect((await employer.json("update", body)).result.key_id).toBe(key_id);
  });

  test("disables a rule of which nothing else would be accepted any more", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create();
    await service.latchkey.call("/api/v1/api-keys/revoke", { key_id: employer.key.key_id }, employer.headers);
    const body = { rule_id, status: "FEDERATION_RULE_STATUS_DISABLED", update_mask: "status" };
    expect((await employer.json("update", body)).result.status).toBe("FEDERATION_RULE_STATUS_DISABLED");
  });
});
