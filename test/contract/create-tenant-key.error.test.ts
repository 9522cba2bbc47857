// promise: operator.first-key, erasure.no-keys
import { describe, expect, test } from "vitest";
import { expectInvalid, expectPrecondition } from "../harness/error-answers.ts";
import { dashboardOf, instant, OIDC, PUBLISHABLE } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

const create = (fields: object) =>
  operator.call("keys/create", { tenant_id: newTenant(), name: "a key", permissions: ["plans:read"], ...fields });

describe("tenant_id", () => {
  test.each([undefined, null, ""])("is required: %j is 400", async (tenant_id) => {
    expectInvalid(await create({ tenant_id }), "tenant_id", "required");
  });

  test.each([" ", "\u200b", "a\nb", "\u007f", "x".repeat(257), "a\0b"])("%.20j is 400", async (tenant_id) => {
    expectInvalid(await create({ tenant_id }), "tenant_id");
  });

  test.each([5, true, {}, ["ten_x"]])("must be a string: %j is 400", async (tenant_id) => {
    expectInvalid(await create({ tenant_id }), "tenant_id", "string");
  });
});

describe("what CreateApiKey refuses is refused", () => {
  test.each([
    ["name", { name: "" }],
    ["name", { name: "\u200b" }],
    ["description", { description: "x".repeat(1_025) }],
    ["permissions", { permissions: [] }],
    ["permissions[0]", { permissions: ["plans:reed"] }],
    ["rate_limit.burst_size", { rate_limit: { burst_size: -1 } }],
    ["expires_at", { expires_at: instant(latchkey, -1_000) }],
    ["keyType", { keyType: "secret" }],
    ["publishableConfig", { publishableConfig: { oidc: OIDC } }],
    ["permissions[0]", { ...PUBLISHABLE, permissions: ["system:*"] }],
    ["publishableConfig.oidc.issuer", { ...PUBLISHABLE, publishableConfig: { oidc: { ...OIDC, issuer: "" } } }],
  ])("with the member %s: %j", async (member, fields) => {
    expectInvalid(await create(fields), member);
  });
});

test("an erased tenant gets no key until it is resumed", async () => {
  const { tenant, createKey } = dashboardOf(latchkey);
  await createKey();
  await operator.result("tenants/erase", { tenant_id: tenant });
  for (let n = 0; n < 2; n++) expectPrecondition(await create({ tenant_id: tenant }), "tenant_id", "tenants/resume");
  const { tenants } = await operator.answer("tenants/list", { only_suspended: true, per_page: 100 });
  expect(tenants).toContainEqual(expect.objectContaining({ tenant_id: tenant, key_count: 1 }));
  await operator.result("tenants/resume", { tenant_id: tenant });
  expect((await create({ tenant_id: tenant })).status).toBe(200);
});

test("an unknown member is 400, and the message suggests the known one", async () => {
  expectInvalid(await create({ tenant: "ten_x" }), "tenant", '"tenant_id"');
});
