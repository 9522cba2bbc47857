import { expect, test } from "vitest";
import { expectFault, expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

test.each(["", " ", "\u0085", "\u200b", "x".repeat(129), 5, null])("the name %j is 400", async (name) => {
  expectInvalid(await latchkey.call("/api/v1/orgs/create", { name }, await latchkey.dashboard()), "name");
});

test("a tenant cannot be chosen", async () => {
  const body = { name: "Acme", tenant_id: "ten_x" };
  expectInvalid(await latchkey.call("/api/v1/orgs/create", body, await latchkey.dashboard()), "tenant_id");
});

test.each(["org_id", "https://stytch.com/organization.organization_id"])(
  "with %s as the claim of the tenant none can be made: the provider's organizations are the tenants",
  async (tenantClaim) => {
    const { provider } = latchkey;
    const { issuer, jwksUrl, audience } = provider;
    const own = await startLatchkey({
      config: {
        dashboard: {
          expectation: { issuer, jwksUrl, audience, jwksOwner: { kind: "operator" } },
          userIdClaim: "sub",
          tenantClaim,
          requiredClaims: {},
        },
      },
    });
    for (const claims of [{ [tenantClaim]: "acme" }, {}]) {
      const token = await provider.sign({ sub: "user-1", ...claims }, own.clock.now());
      const headers = { authorization: `Bearer ${token}` };
      const answer = await own.call("/api/v1/orgs/create", { name: "Acme" }, headers);
      expectFault(answer, 400, "failed_precondition");
      expect(answer.json.message).toBe(
        "the organizations of the identity provider are the tenants here; create one there, and sign in to it",
      );
    }
    await own.close();
  },
);
