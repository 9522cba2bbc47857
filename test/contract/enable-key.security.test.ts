import { describe, expect, test } from "vitest";
import { OPERATOR } from "../harness/operator.ts";
import { OPERATOR_TENANT, sharedWithRoles } from "../harness/roles.ts";

const withRoles = await sharedWithRoles();

describe("to enable a key needs every scope of it:", () => {
  const ENABLE = "/api/v1/operator/keys/enable";

  test("a user of the operator's tenant with system:* alone cannot enable a key with another scope", async () => {
    const owner = await withRoles.user("owner");
    const { key_id } = await withRoles.createKey(owner, { permissions: ["plans:read"] });
    await withRoles.call("/api/v1/api-keys/disable", { key_id }, owner);
    const ops = await withRoles.user("ops", OPERATOR_TENANT);
    const { status, json } = await withRoles.call(ENABLE, { key_id }, ops);
    expect([status, json.denial_reason]).toEqual([403, "insufficient_scope"]);
    expect(json.message).toMatch(/^permissions\[0\]: you cannot give a key the scope "plans:read"/);
    expect((await withRoles.call(ENABLE, { key_id }, OPERATOR)).status).toBe(200);
  });

  test("the same user can disable and revoke it", async () => {
    const { key_id } = await withRoles.createKey(await withRoles.user("owner"), { permissions: ["plans:read"] });
    const ops = await withRoles.user("ops", OPERATOR_TENANT);
    for (const verb of ["disable", "revoke"]) {
      expect((await withRoles.call(`/api/v1/operator/keys/${verb}`, { key_id }, ops)).status).toBe(200);
    }
  });
});
