// promise: workloads.exchange, workloads.clients
import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import { eventsOf } from "../harness/audit.ts";
import { JWT_BEARER, newEmployer, sharedFederation } from "../harness/federation.ts";
import { TOKEN_ISSUER } from "../harness/token-settings.ts";

const service = await sharedFederation();

describe("a workload's token is exchanged", () => {
  test("by RFC 8693 for one that stands for the rule's key", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create({ scopes: ["conversations:read", "plans:read"], ttl_seconds: 300 });
    const { status, json, headers } = await employer.exchange(rule_id, employer.assertion());
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(json).toEqual({
      access_token: expect.any(String),
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      expires_in: expect.any(Number),
      scope: "conversations:read plans:read",
    });
    expect([299, 300]).toContain(json.expires_in);
    const { sub, aud, scope, tenant_id } = decodeJwt(json.access_token);
    expect({ sub, aud, scope, tenant_id }).toEqual({
      ...{ sub: employer.key.key_id, aud: TOKEN_ISSUER, scope: json.scope, tenant_id: employer.tenant },
    });
  });

  test("by RFC 7523 alike", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create();
    const bearer = { grant_type: JWT_BEARER, subject_token: undefined, subject_token_type: undefined };
    const answer = await employer.exchange(rule_id, "", { ...bearer, assertion: employer.assertion() });
    expect([answer.status, answer.json.token_type, answer.json.issued_token_type]).toEqual([200, "Bearer", undefined]);
  });

  test("for fewer scopes, where it asks for them", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create({ scopes: ["conversations:read", "plans:read"] });
    const answer = await employer.exchange(rule_id, employer.assertion(), { scope: "plans:read" });
    expect(answer.json.scope).toBe("plans:read");
    const beyond = await employer.exchange(rule_id, employer.assertion(), { scope: "plans:read plans:write" });
    expect([beyond.status, beyond.json.error]).toEqual([400, "invalid_scope"]);
  });

  test("for a part of what a wildcard of the rule stands for, and for what is left of it in the key", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create({ scopes: ["conversations:*"] });
    const asked = await employer.exchange(rule_id, employer.assertion(), { scope: "conversations:read" });
    expect(asked.json.scope).toBe("conversations:read");
    const unknown = await employer.exchange(rule_id, employer.assertion(), { scope: "conversations:rea" });
    expect([unknown.status, unknown.json.error]).toEqual([400, "invalid_scope"]);
    const less = { key_id: employer.key.key_id, permissions: ["conversations:write"], update_mask: "permissions" };
    await service.latchkey.call("/api/v1/api-keys/update", less, employer.headers);
    expect((await employer.exchange(rule_id, employer.assertion())).json.scope).toBe("conversations:write");
  });

  test("for those of the rule's scopes that its key has now", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create({ scopes: ["conversations:read", "plans:read"] });
    const less = { key_id: employer.key.key_id, permissions: ["plans:*"], update_mask: "permissions" };
    await service.latchkey.call("/api/v1/api-keys/update", less, employer.headers);
    expect((await employer.exchange(rule_id, employer.assertion())).json.scope).toBe("plans:read");
  });

  test("with pasted keys, of which none is fetched", async () => {
    const employer = await newEmployer(service);
    const issuer = "https://kubernetes.default.svc.cluster.local";
    const { rule_id } = await employer.create({ issuer, jwks: employer.platform.jwks });
    await employer.token(rule_id, employer.assertion({ iss: issuer }));
    expect(employer.platform.fetches()).toBe(0);
  });

  test("and the audit trail says which workload got it, by which rule", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create();
    const token = await employer.token(rule_id);
    const [event] = await eventsOf(service.latchkey, employer.tenant, { action: "token.derived" });
    expect(event).toMatchObject({
      target_id: decodeJwt(token).jti,
      actor: { kind: "workload", user_id: "repo:acme/shop", issuer: employer.platform.issuer },
      changes: { rule_id: { new: rule_id }, key_id: { new: employer.key.key_id } },
    });
  });
});
