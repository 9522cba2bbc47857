// promise: requests.explained
import { describe, expect, test } from "vitest";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { explain, requestIdOf, verifyWith } from "../harness/recent-requests.ts";
import { sharedWithRoles } from "../harness/roles.ts";

const latchkey = await sharedLatchkey();
const withRoles = await sharedWithRoles();

describe("a request is explained", () => {
  test.each([
    ["developer", 404],
    ["viewer", 404],
    ["unknown", 403],
  ])("to %s: %i", async (role, status) => {
    const user = await withRoles.user(role);
    expect((await withRoles.call("/api/v1/requests/explain", { request_id: "req_none" }, user)).status).toBe(status);
  });

  test("only to a secret key of its tenant with the scope", async () => {
    const tenant = newTenant();
    const { key } = await latchkey.createKey(await latchkey.dashboard(tenant), { permissions: ["usage:read"] });
    const request_id = await verifyWith(latchkey, key, { scope: "plans:write" });
    const answer = await latchkey.call("/api/v1/requests/explain", { request_id }, { "x-api-key": key });
    expect(answer.json.result).toMatchObject({ denial_reason: "insufficient_scope" });
  });
});

test("a request of another tenant, and one without a tenant, are not found, as one that never was", async () => {
  const tenant = newTenant();
  const { key } = await latchkey.createKey(await latchkey.dashboard(tenant));
  const foreign = await verifyWith(latchkey, key, { scope: "plans:write" });
  expect((await explain(latchkey, tenant, foreign)).status).toBe(200);
  const without = requestIdOf(await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": "sk_unknown" }));
  const stranger = newTenant();
  const answers = await Promise.all(
    [foreign, without, "req_never"].map(async (id) => (await explain(latchkey, stranger, id)).json),
  );
  const [first, ...others] = answers.map(({ request_id: _, ...rest }) => rest);
  expect(first).toMatchObject({ reason: "request_not_found" });
  for (const other of others) expect(other).toEqual(first);
});
