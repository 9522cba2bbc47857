import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ApiKeySchema } from "../../gen/latchkey/v1/api_key_pb.ts";
import type { OperatorService, TenantSchema } from "../../gen/latchkey/v1/operator_service_pb.ts";
import { changeKey } from "../domain/keys/change.ts";
import { type CreateKeyContext, createKey } from "../domain/keys/create.ts";
import { decideDisable } from "../domain/keys/disable.ts";
import { decideEnable } from "../domain/keys/enable.ts";
import type { KeyChange, KeyDetails, KeyRecord } from "../domain/keys/key.ts";
import { withLastUse } from "../domain/keys/read.ts";
import { decideRevoke } from "../domain/keys/revoke.ts";
import { findKeys, keySearch, tenantOfKey } from "../domain/keys/search.ts";
import { pageRequest } from "../domain/page.ts";
import type { Authority } from "../domain/policy/authority.ts";
import { createGrant, type Grant, withGrant } from "../domain/policy/grant.ts";
import type { TenantStore } from "../domain/ports/tenants.ts";
import type { UsageRecorder } from "../domain/ports/usage.ts";
import { checkedTenantId, resumeTenant, suspendTenant } from "../domain/tenants/suspend.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import { type CallContext, principalOf, type UnaryImpl } from "../interceptors/call.ts";
import { fromNewKey, toApiKey, toCreatedKey } from "./api-key-converter.ts";
import { toTimestamp } from "./dates.ts";
import { toPagination } from "./pagination.ts";

export interface OperatorContext extends CreateKeyContext {
  readonly tenants: TenantStore;
  readonly usage: UsageRecorder;
  readonly authority: Authority;
  readonly operatorTenant: string | null;
}

export function createOperatorService(ctx: OperatorContext): UnaryImpl<typeof OperatorService> {
  const { authority, tenants, usage } = ctx;
  const grantOf = (context: CallContext): Grant => createGrant(authority, principalOf(context.values));

  async function toFoundKey(key: KeyDetails, now: Date): Promise<MessageInitShape<typeof ApiKeySchema>> {
    const { isSuspended } = await tenants.findTenant(key.tenantId);
    const shown = toApiKey(withLastUse(key, usage), now, authority.catalogue);
    return { ...shown, tenantId: key.tenantId, tenantSuspended: isSuspended };
  }

  /** Applies one verb to a key of any tenant. */
  async function mutate({ keyId }: { keyId: string }, decide: (current: KeyRecord, now: Date) => KeyChange) {
    const tenantId = await tenantOfKey(ctx, keyId);
    const key = await changeKey({ keys: ctx.keys, clock: ctx.keyClock }, tenantId, keyId, decide);
    return { result: await toFoundKey(key, ctx.keyClock()) };
  }

  return {
    async findKeys(req) {
      const page = pageRequest(req.page, req.perPage);
      const now = ctx.keyClock();
      const { items, total } = await findKeys(ctx, keySearch(req), page);
      const keys = await Promise.all(items.map((key) => toFoundKey(key, now)));
      return { keys, pagination: toPagination(page, total) };
    },

    async createTenantKey(req, context) {
      const command = fromNewKey(req, checkedTenantId(req.tenantId));
      return toCreatedKey(await createKey(ctx, command, grantOf(context)));
    },

    disableKey: (req) => mutate(req, decideDisable),
    enableKey: (req, context) => mutate(req, withGrant(grantOf(context), decideEnable)),
    revokeKey: (req) => mutate(req, decideRevoke),

    async listTenants({ page: number, perPage, onlySuspended }) {
      const page = pageRequest(number, perPage);
      const { items, total } = await tenants.listTenants({ onlySuspended }, page);
      return { tenants: items.map(toTenant), pagination: toPagination(page, total) };
    },

    suspendTenant: async ({ tenantId, reason }) => ({ result: toTenant(await suspendTenant(ctx, tenantId, reason)) }),
    resumeTenant: async ({ tenantId }) => ({ result: toTenant(await resumeTenant(ctx, tenantId)) }),
  };
}

function toTenant({ tenantId, name, keyCount, suspension }: Tenant): MessageInitShape<typeof TenantSchema> {
  return {
    tenantId,
    name,
    keyCount,
    suspendedAt: toTimestamp(suspension?.suspendedAt ?? null),
    suspensionReason: suspension?.reason ?? "",
  };
}
