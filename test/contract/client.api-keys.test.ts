import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import {
  Caller,
  Code,
  ConnectError,
  isDenial,
  jsonList,
  KeyStatus,
  KeyType,
  type LatchkeyClient,
  usageSteps,
} from "../../clients/typescript/src/index.ts";
import { dashboardClient, newKey, secretKeyClient } from "../harness/clients.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();

async function createKey(dashboard: LatchkeyClient, fields: object = {}) {
  const { result } = await dashboard.apiKeys.createApiKey({
    name: "k",
    permissions: ["conversations:read"],
    ...fields,
  });
  if (result === undefined) throw new Error("no key was created");
  return result;
}

describe("a dashboard user's client", () => {
  test("creates a key with every field, and reads it back", async () => {
    const dashboard = dashboardClient(latchkey);
    const expiresAt = new Date(Math.ceil(latchkey.clock.now().getTime() / 1_000) * 1_000 + HOUR);
    const { keyId, key, keyPrefix } = await createKey(dashboard, {
      description: "for tests",
      rateLimit: { requestsPerMinute: 60, requestsPerHour: 100, burstSize: 5 },
      expiresAt: timestampFromDate(expiresAt),
    });
    expect(key).toMatch(/^sk_/);
    const { result } = await dashboard.apiKeys.getApiKey({ keyId });
    expect(result).toMatchObject({
      keyId,
      keyPrefix,
      name: "k",
      description: "for tests",
      keyType: KeyType.SECRET,
      permissions: ["conversations:read"],
      rateLimit: { requestsPerMinute: 60, requestsPerHour: 100, burstSize: 5 },
      status: KeyStatus.ACTIVE,
    });
    expect(result?.expiresAt && timestampDate(result.expiresAt)).toEqual(expiresAt);
  });

  test("creates a publishable key with lists in its configuration, reads them back, and checks it", async () => {
    const dashboard = dashboardClient(latchkey);
    const claimRules = [
      { claim: "email_verified", equals: true },
      { claim: "groups", contains: "staff" },
    ];
    const oidc = {
      issuer: "https://idp.example.com",
      jwksUrl: "https://idp.example.com/jwks.json",
      audience: "app",
      authorizedParties: jsonList(["web"]),
      claimRules: jsonList(claimRules),
    };
    const { keyId } = await createKey(dashboard, { keyType: KeyType.PUBLISHABLE, publishableConfig: { oidc } });
    const { result } = await dashboard.apiKeys.getApiKey({ keyId });
    expect(JSON.parse(JSON.stringify(result)).publishableConfig.oidc).toMatchObject({
      authorizedParties: ["web"],
      claimRules,
    });
    expect(result?.publishableConfig?.oidc).not.toHaveProperty("tokenType");
    const { steps, passed } = await dashboard.apiKeys.checkOidc({ oidc: { ...oidc, issuer: "{" } });
    expect([passed, steps.map(({ name }) => name)]).toEqual([false, ["configuration"]]);
  });

  test("lists its tenant's keys page by page, newest first", async () => {
    const dashboard = dashboardClient(latchkey);
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.unshift((await createKey(dashboard)).keyId);
    const first = await dashboard.apiKeys.listApiKeys({ page: 1, perPage: 2 });
    const second = await dashboard.apiKeys.listApiKeys({ page: 2, perPage: 2 });
    expect([...first.keys, ...second.keys].map(({ keyId }) => keyId)).toEqual(ids);
    expect(second.pagination).toMatchObject({ total: 3, page: 2, perPage: 2, totalPages: 2 });
  });

  test("updates the members that the mask names", async () => {
    const dashboard = dashboardClient(latchkey);
    const { keyId } = await createKey(dashboard, { description: "stays" });
    const { result } = await dashboard.apiKeys.updateApiKey({ keyId, name: "new", updateMask: "name" });
    expect(result).toMatchObject({ name: "new", description: "stays" });
  });

  test("disables, enables and revokes a key, and reads its usage", async () => {
    const dashboard = dashboardClient(latchkey);
    const { keyId, key } = await createKey(dashboard);
    const statusOf = async (call: Promise<{ result?: { status: number } | undefined }>) => (await call).result?.status;
    const use = () => secretKeyClient(latchkey, key).gateway.listThreads({});
    await use();
    expect(await statusOf(dashboard.apiKeys.disableApiKey({ keyId }))).toBe(KeyStatus.DISABLED);
    await expect(use()).rejects.toSatisfy((err) => isDenial(err, "api_key_disabled"));
    expect(await statusOf(dashboard.apiKeys.enableApiKey({ keyId }))).toBe(KeyStatus.ACTIVE);
    await use();
    expect(await statusOf(dashboard.apiKeys.revokeApiKey({ keyId }))).toBe(KeyStatus.REVOKED);
    await expect(use()).rejects.toSatisfy((err) => isDenial(err, "api_key_revoked"));
    await expect
      .poll(async () => (await dashboard.apiKeys.getApiKeyUsage({ keyId })).result)
      .toMatchObject({ totalVerifications: 4, successfulVerifications: 2, failedVerifications: 2 });
  });

  test("reads the uses of a key, of all keys, and the keys with most of them", async () => {
    const dashboard = dashboardClient(latchkey);
    const { keyId, key } = await createKey(dashboard);
    await secretKeyClient(latchkey, key).gateway.listThreads({});
    const denied = secretKeyClient(latchkey, key).gateway.sendMessage({ conversationKey: "c" });
    await expect(denied).rejects.toSatisfy((err) => isDenial(err, "insufficient_scope"));
    const from = timestampFromDate(new Date(latchkey.clock.now().getTime() - HOUR));
    const { result, series } = await dashboard.apiKeys.getApiKeyUsage({ keyId, from, step: "hour" });
    expect(result).toMatchObject({ totalVerifications: 2, successfulVerifications: 1, failedVerifications: 1 });
    const steps = usageSteps(series);
    expect(steps.map((step) => step.from && timestampDate(step.from).getTime() % HOUR)).toEqual(steps.map(() => 0));
    expect(steps.reduce((sum, step) => sum + step.successful, 0)).toBe(1);
    expect(steps.reduce((sum, step) => sum + (step.denied.insufficient_scope ?? 0), 0)).toBe(1);
    expect(usageSteps((await dashboard.apiKeys.getApiKeyUsage({ keyId })).series)).toEqual([]);
    const ofTenant = async () => (await dashboard.usage.getUsage({ from })).result?.totalVerifications;
    await expect.poll(ofTenant, { timeout: 20_000 }).toBe(2);
    expect((await dashboard.usage.getUsage({ from })).series).toEqual(steps);
    expect((await dashboard.usage.listTopKeys({ from })).keys).toMatchObject([
      { keyId, name: "k", totalVerifications: 2 },
    ]);
  });

  test("rotates a key once, after which both keys work", async () => {
    const dashboard = dashboardClient(latchkey);
    const { keyId, key } = await createKey(dashboard);
    const { result } = await dashboard.apiKeys.rotateApiKey({ keyId, gracePeriodHours: 1 });
    for (const value of [key, result?.key ?? ""]) await secretKeyClient(latchkey, value).gateway.listThreads({});
    const again = await dashboard.apiKeys.rotateApiKey({ keyId }).catch(ConnectError.from);
    expect(again).toMatchObject({ code: Code.FailedPrecondition });
    expect(isDenial(again)).toBe(false);
  });

  test("creates an organization", async () => {
    const { result } = await dashboardClient(latchkey).orgs.createOrg({ name: "Acme" });
    expect(result).toMatchObject({ name: "Acme", tenantId: expect.stringMatching(/^ten_/) });
  });
});

describe("verify", () => {
  test("returns the caller", async () => {
    const tenant = newTenant();
    const dashboard = dashboardClient(latchkey, tenant);
    const key = await newKey(dashboard, "plans:read", "users:impersonate");
    const answer = await secretKeyClient(latchkey, key, { onBehalfOf: "u1" }).auth.verify({ scope: "plans:read" });
    expect(answer).toMatchObject({ caller: Caller.SECRET_KEY, tenantId: tenant, userId: "u1" });
    expect((await dashboard.auth.verify({})).caller).toBe(Caller.DASHBOARD_USER);
  });

  test("is denied for a scope that the key lacks", async () => {
    const key = await newKey(dashboardClient(latchkey), "plans:read");
    const call = secretKeyClient(latchkey, key).auth.verify({ scope: "plans:write" });
    await expect(call).rejects.toSatisfy((err) => isDenial(err, "insufficient_scope"));
  });
});
