// promise: requests.explained
import { expect, test } from "vitest";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { requestIdOf, verifyWith } from "../harness/recent-requests.ts";

const latchkey = await sharedLatchkey();
const explained = (request_id: string) => operatorOf(latchkey).result("requests/explain", { request_id });

test("a request of any tenant is explained to the operator, with its tenant", async () => {
  const tenant = newTenant();
  const { key, key_id } = await latchkey.createKey(await latchkey.dashboard(tenant));
  const request_id = await verifyWith(latchkey, key, { scope: "plans:write" });
  expect(await explained(request_id)).toMatchObject({
    request: { request_id, tenant_id: tenant, key_id },
    denial_reason: "insufficient_scope",
    remedy: "Use a key or a user with the scope it needs.",
  });
});

test.each([
  ["without credentials", {}, "missing_credentials", ["credentials"]],
  ["with a mistyped key", { "x-api-key": `sk_${"a".repeat(36)}` }, "api_key_not_found", ["credentials", "key"]],
  ["with no key at all in the header", { "x-api-key": "ak_x" }, "api_key_invalid", ["credentials"]],
  ["with a token that is none", { authorization: "Bearer x.y.z" }, "jwt_malformed", ["credentials", "oidc"]],
])("a denial %s, which has no tenant, is explained, too", async (_, headers, reason, names) => {
  const request_id = requestIdOf(await latchkey.call("/api/v1/auth/verify", {}, headers));
  const { request, steps, ...rest } = await explained(request_id);
  expect(request).toMatchObject({ request_id, tenant_id: "", key_id: "", caller: "", reason });
  expect(steps.map(({ name }: { name: string }) => name)).toEqual(names);
  expect(steps.at(-1)).toMatchObject({ passed: false, detail: request.message });
  expect(rest).toMatchObject({ denial_reason: reason, documentation: `/docs/errors#${reason}` });
});
