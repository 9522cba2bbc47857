// promise: orgs.create, orgs.provider
import { expect, test } from "vitest";
import { generateSigningKey, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { expectFault, expectInvalid, expectPrecondition } from "../harness/error-answers.ts";
import { sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { orgUser } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();

test.each(["", " ", "\u0085", "\u200b", "x".repeat(129), 5, null])("the name %j is 400", async (name) => {
  expectInvalid(await latchkey.call("/api/v1/orgs/create", { name }, await latchkey.dashboard()), "name");
});

test("a tenant cannot be chosen", async () => {
  const body = { name: "Acme", tenant_id: "ten_x" };
  expectInvalid(await latchkey.call("/api/v1/orgs/create", body, await latchkey.dashboard()), "tenant_id");
});

test.each(["x".repeat(129), 5, "a\u0000"])("the client_org_id %.20j is 400", async (client_org_id) => {
  expectInvalid(await orgUser(latchkey).call("create", { name: "Acme", client_org_id }), "client_org_id");
});

test("a client_org_id that was used for another name is a failed precondition, and nothing is created", async () => {
  const user = orgUser(latchkey);
  await user.call("create", { name: "Acme", client_org_id: "signup" });
  const answer = await user.call("create", { name: "Other", client_org_id: "signup" });
  expectPrecondition(answer, "client_org_id", "use another client_org_id");
  expect((await user.call("list")).json.orgs).toHaveLength(1);
});

test.each([
  ["alone", {}, 400],
  ["beside a login hook", { identityHookSecrets: ["secret-of-the-login-hook-0123456789abcdef"] }, 200],
  ["beside memberships", { tenantFromMembership: true }, 200],
])("where the provider's organizations are the tenants, %s, creating one is %s %i", async (_what, config, status) => {
  const provider = await startIdentityProvider(await generateSigningKey());
  const { issuer, audience, jwksUrl } = provider;
  const expectation = { issuer, audience, jwksUrl, jwksOwner: { kind: "operator" } } as const;
  const dashboard = { expectation, userIdClaim: "sub", tenantClaim: "o.id", requiredClaims: {} };
  const own = await startLatchkey({ config: { dashboard, ...config } });
  const headers = { authorization: `Bearer ${await provider.sign({ sub: "u1", o: { id: "org_2abc" } })}` };
  const answer = await own.call("/api/v1/orgs/create", { name: "Acme" }, headers);
  expect(answer.status).toBe(status);
  if (status === 400) {
    expectFault(answer, 400, "failed_precondition");
    expect(answer.json.message).toContain("create one there, and sign in to it");
  }
  await Promise.all([own.close(), provider.close()]);
});
