// promise: scopes.catalogue
import { describe, expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";
import { sharedPublishable } from "../harness/publishable.ts";
import { OPERATOR_TENANT, OWN_SCOPES, sharedWithRoles } from "../harness/roles.ts";

const LIST = "/api/v1/scopes/list";
/** In the order of the specification's domains, then what came later, and whether a publishable key can hold it. */
const BUILT_IN = [
  ["conversations:read", true],
  ["conversations:write", true],
  ["plans:read", true],
  ["plans:write", true],
  ["users:read", true],
  ["users:impersonate", false],
  ["billing:read", false],
  ["billing:write", false],
  ["invoices:read", true],
  ["invoices:write", true],
  ["api_keys:read", false],
  ["api_keys:write", false],
  ["webhooks:read", false],
  ["webhooks:write", false],
  ["tenants:read", false],
  ["tenants:write", false],
  ["system:read", false],
  ["system:write", false],
  ["org:read", false],
  ["org:write", false],
  ["audit:read", false],
  ["usage:read", false],
  ["api_keys:admin", false],
].map(([name, publishable]) => ({ name, publishable, description: expect.stringMatching(/^[A-Z].*\.$/) }));

const latchkey = await sharedLatchkey();
const withRoles = await sharedWithRoles();

test("the list has the built-in scopes in their order, with every false printed", async () => {
  const answer = await latchkey.call(LIST, {}, await latchkey.dashboard());
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({ scopes: BUILT_IN, next_page_token: "" });
});

test("the platform's own scopes come after them, in the order of their file", async () => {
  const { json } = await withRoles.call(LIST, {}, await withRoles.user("viewer"));
  expect(json).toEqual({ scopes: [...BUILT_IN, ...OWN_SCOPES], next_page_token: "" });
});

test("a publishable key can hold those that are publishable, and no other", async () => {
  const owner = await withRoles.user("owner", OPERATOR_TENANT);
  const oidc = { issuer: "https://idp.example.com/", jwksUrl: "https://idp.example.com/jwks.json", audience: "app" };
  const fields = { name: "app", keyType: "KEY_TYPE_PUBLISHABLE", publishableConfig: { oidc } };
  for (const { name, publishable } of (await withRoles.call(LIST, {}, owner)).json.scopes) {
    const { status } = await withRoles.call("/api/v1/api-keys/create", { ...fields, permissions: [name] }, owner);
    expect([name, status]).toEqual([name, publishable ? 200 : 400]);
  }
});

describe("everybody who is somebody may read it:", () => {
  const expectListed = async (service: typeof latchkey, headers: Record<string, string>) => {
    for (const path of [LIST, "/latchkey.v1.ScopeService/ListScopes"]) {
      const { status, json } = await service.call(path, {}, headers);
      expect([status, json.scopes?.length]).toEqual([200, BUILT_IN.length]);
    }
  };

  test("a dashboard user", async () => expectListed(latchkey, await latchkey.dashboard()));

  test("a dashboard user without a tenant", async () => {
    const token = await latchkey.dashboardToken({ tenant_id: undefined });
    await expectListed(latchkey, { authorization: `Bearer ${token}` });
  });

  test("a dashboard user without any role", async () => {
    const { status } = await withRoles.call(LIST, {}, await withRoles.user("unknown"));
    expect(status).toBe(200);
  });

  test("a secret key, whatever its scopes", async () => {
    const { key } = await latchkey.createKey(await latchkey.dashboard(), { permissions: ["plans:read"] });
    await expectListed(latchkey, { "x-api-key": key });
  });

  test("a user of a publishable key", async () => {
    const service = await sharedPublishable();
    const app = await service.newApp({ fields: { permissions: ["plans:read"] } });
    await expectListed(service.latchkey, app.headers());
  });

  test("the operator, by their token", () => expectListed(latchkey, OPERATOR));
});
