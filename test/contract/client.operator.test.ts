import { describe, expect, test } from "vitest";
import {
  createLatchkeyClient,
  isDenial,
  KeyStatus,
  type LatchkeyClient,
  timestampDate,
} from "../../clients/typescript/src/index.ts";
import { BUILT_IN_SCOPES } from "../../clients/typescript/src/vocabulary.ts";
import { dashboardClient, newKey, secretKeyClient } from "../harness/clients.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { OPERATOR_TOKEN } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();

function operatorClient(): LatchkeyClient {
  return createLatchkeyClient({ baseUrl: latchkey.url, getUserToken: () => OPERATOR_TOKEN });
}

describe("scopes", () => {
  test("are listed for every kind of caller, in the order that a guard knows", async () => {
    const dashboard = dashboardClient(latchkey);
    const backend = secretKeyClient(latchkey, await newKey(dashboard, "plans:read"));
    for (const client of [dashboard, backend, operatorClient()]) {
      const { scopes } = await client.scopes.listScopes({});
      expect(scopes.map(({ name }) => name)).toEqual(BUILT_IN_SCOPES);
      expect(scopes[0]).toMatchObject({ description: expect.stringMatching(/\.$/), publishable: true });
    }
  });
});

describe("the operator's client, by its token", () => {
  test("creates a tenant's first key, finds it by its value, and revokes it", async () => {
    const { operator } = operatorClient();
    const tenantId = newTenant();
    const { result } = await operator.createTenantKey({ tenantId, name: "first", permissions: ["plans:read"] });
    const key = result?.key ?? "";
    const backend = secretKeyClient(latchkey, key);
    expect(await backend.auth.verify({ scope: "plans:read" })).toMatchObject({ tenantId });
    const { keys } = await operator.findKeys({ key });
    expect(keys).toMatchObject([{ keyId: result?.keyId, tenantId, name: "first" }]);
    const { result: revoked } = await operator.revokeKey({ keyId: result?.keyId ?? "" });
    expect(revoked?.status).toBe(KeyStatus.REVOKED);
    await expect(backend.auth.verify({})).rejects.toSatisfy((err) => isDenial(err, "api_key_revoked"));
  });

  test("suspends a tenant, whose users are denied by a reason of its own, and resumes it", async () => {
    const { operator } = operatorClient();
    const tenantId = newTenant();
    const user = dashboardClient(latchkey, tenantId);
    const backend = secretKeyClient(latchkey, await newKey(user, "plans:read"));
    const { result } = await operator.suspendTenant({ tenantId, reason: "unpaid" });
    expect(result).toMatchObject({ tenantId, keyCount: 1, suspensionReason: "unpaid" });
    expect(result?.suspendedAt && timestampDate(result.suspendedAt)).toEqual(expect.any(Date));
    await expect(user.apiKeys.listApiKeys({})).rejects.toSatisfy((err) => isDenial(err, "tenant_suspended"));
    await expect(backend.auth.verify({})).rejects.toSatisfy((err) => isDenial(err, "api_key_disabled"));
    expect((await operator.resumeTenant({ tenantId })).result?.suspendedAt).toBeUndefined();
    expect((await user.apiKeys.listApiKeys({})).keys).toHaveLength(1);
    await backend.auth.verify({});
  });

  test("erases a user, and then their tenant, whose key is revoked", async () => {
    const { operator } = operatorClient();
    const tenantId = newTenant();
    const user = dashboardClient(latchkey, tenantId);
    const backend = secretKeyClient(latchkey, await newKey(user, "plans:read"));
    const { result } = await operator.eraseUser({ tenantId, userId: "user-1" });
    expect(result).toMatchObject({
      tenantId,
      userId: "user-1",
      finished: true,
      removed: { keyActors: 1, messages: 0 },
    });
    await backend.auth.verify({});
    const erased = await operator.eraseTenant({ tenantId });
    expect(erased.result).toMatchObject({ tenantId, userId: "", finished: true, removed: { keys: 1 } });
    await expect(backend.auth.verify({})).rejects.toSatisfy((err) => isDenial(err, "api_key_revoked"));
  });
});

test("a dashboard user's client cannot call the operator's RPCs", async () => {
  const call = dashboardClient(latchkey).operator.listTenants({});
  await expect(call).rejects.toSatisfy((err) => isDenial(err, "insufficient_scope"));
});
