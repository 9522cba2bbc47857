import { expect, test } from "vitest";
import type { Act } from "../audit/event.ts";
import { type EraseContext, eraseTenant, eraseUser } from "./erase.ts";
import type { ErasureTarget } from "./erasure.ts";

const ACT: Act = {
  actor: { kind: "operator", userId: null, issuer: null, keyId: null, operatorToken: 1 },
  action: "tenant.erased",
  address: null,
  requestId: "req_1",
  traceId: null,
};
const NEVER = new AbortController().signal;
const BEGUN = { erasureId: "aud_1", removed: {}, isFinished: false };

function context(): EraseContext & { readonly begun: ErasureTarget[] } {
  const begun: ErasureTarget[] = [];
  return {
    begun,
    erasures: {
      begin: async (target) => {
        begun.push(target);
        return BEGUN;
      },
    },
    awaitErasure: async (erasure) => ({ ...erasure, isFinished: true }),
    operatorTenant: "ten_operator",
  };
}

test("a user and a tenant are begun, and awaited", async () => {
  const ctx = context();
  const user = { tenantId: "t", userId: "u", issuer: null };
  expect(await eraseUser(ctx, user, ACT, NEVER)).toEqual({ ...BEGUN, isFinished: true });
  expect(await eraseTenant(ctx, "t", ACT, NEVER)).toEqual({ ...BEGUN, isFinished: true });
  expect(ctx.begun).toEqual([
    { kind: "user", ...user },
    { kind: "tenant", tenantId: "t" },
  ]);
});

test.each(["", " ", "a\nb", "x".repeat(257), "\ud800"])(
  "refuses the user %j: the empty one is not a user",
  async (userId) => {
    const ctx = context();
    await expect(eraseUser(ctx, { tenantId: "t", userId, issuer: null }, ACT, NEVER)).rejects.toThrow(/^user_id: /);
    await expect(eraseUser(ctx, { tenantId: userId, userId: "u", issuer: null }, ACT, NEVER)).rejects.toThrow(
      /^tenant_id: /,
    );
    await expect(eraseTenant(ctx, userId, ACT, NEVER)).rejects.toThrow(/^tenant_id: /);
    expect(ctx.begun).toEqual([]);
  },
);

test("the operator's own tenant is refused, and a user of it is not", async () => {
  const ctx = context();
  await expect(eraseTenant(ctx, "ten_operator", ACT, NEVER)).rejects.toMatchObject({ kind: "failed_precondition" });
  await eraseUser(ctx, { tenantId: "ten_operator", userId: "u", issuer: null }, ACT, NEVER);
  expect(ctx.begun).toHaveLength(1);
});
