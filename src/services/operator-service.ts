import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ApiKeySchema } from "../../gen/latchkey/v1/api_key_pb.ts";
import type { OperatorService, TenantSchema } from "../../gen/latchkey/v1/operator_service_pb.ts";
import type { Authority } from "../domain/access/authority.ts";
import { createGrant, type Grant } from "../domain/access/grant.ts";
import { type ListEventsContext, listEvents } from "../domain/audit/list.ts";
import type { KeyRecord } from "../domain/credentials/key.ts";
import type { EraseContext } from "../domain/erasures/erase.ts";
import type { OnceContext } from "../domain/idempotency/once.ts";
import { changeKey } from "../domain/keys/change.ts";
import type { CreateKeyContext } from "../domain/keys/create.ts";
import { decideDisable } from "../domain/keys/disable.ts";
import { decideEnable } from "../domain/keys/enable.ts";
import type { KeyChange } from "../domain/keys/key-change.ts";
import type { KeyDetails } from "../domain/keys/key-details.ts";
import { createKeyOnce } from "../domain/keys/make-once.ts";
import { withLastUse } from "../domain/keys/read.ts";
import { decideRevoke } from "../domain/keys/revoke.ts";
import { findKeys, keySearch, tenantOfKey } from "../domain/keys/search.ts";
import { withGrant } from "../domain/keys/with-grant.ts";
import { type ExplainRequestContext, explainRequest } from "../domain/requests/explain.ts";
import { checkedTenantId, resumeTenant, suspendTenant } from "../domain/tenants/suspend.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import type { TenantStore } from "../domain/tenants/tenant-store.ts";
import type { UsageRecorder } from "../domain/usage/usage-store.ts";
import { pageRequest } from "../domain/vocabulary/page.ts";
import { type CallContext, principalOf, type UnaryImpl } from "../interceptors/call.ts";
import { fromNewKey, toApiKey, toCreatedKey } from "./api-key-converter.ts";
import { fromAuditFilter, toTenantsEvents } from "./audit-converter.ts";
import { about, actOf } from "./callers.ts";
import { toTimestamp } from "./dates.ts";
import { createErasureRpcs } from "./erasure-rpcs.ts";
import { toPagination } from "./pagination.ts";
import { toTenantsExplanation } from "./request-converter.ts";

export interface OperatorContext
  extends CreateKeyContext,
    OnceContext,
    EraseContext,
    ListEventsContext,
    ExplainRequestContext {
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
  async function mutate(
    { keyId }: { keyId: string },
    context: CallContext,
    decide: (current: KeyRecord, now: Date) => KeyChange,
  ) {
    const tenantId = await tenantOfKey(ctx, keyId);
    const key = await changeKey({ keys: ctx.keys, clock: ctx.keyClock }, tenantId, keyId, decide, actOf(context));
    about(context, keyId);
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
      const created = await createKeyOnce(ctx, command, req.clientRequestId, grantOf(context), actOf(context));
      about(context, created.keyId);
      return toCreatedKey(created);
    },

    disableKey: (req, context) => mutate(req, context, decideDisable),
    enableKey: (req, context) => mutate(req, context, withGrant(grantOf(context), decideEnable)),
    revokeKey: (req, context) => mutate(req, context, decideRevoke),

    async listTenants({ page: number, perPage, onlySuspended }) {
      const page = pageRequest(number, perPage);
      const { items, total } = await tenants.listTenants({ onlySuspended }, page);
      return { tenants: items.map(toTenant), pagination: toPagination(page, total) };
    },

    async suspendTenant({ tenantId, reason }, context) {
      const tenant = await suspendTenant(ctx, tenantId, reason, actOf(context));
      about(context, tenantId);
      return { result: toTenant(tenant) };
    },
    async resumeTenant({ tenantId }, context) {
      const tenant = await resumeTenant(ctx, tenantId, actOf(context));
      about(context, tenantId);
      return { result: toTenant(tenant) };
    },
    ...createErasureRpcs(ctx),

    async listTenantsEvents(req) {
      const { pageToken, perPage, tenantId } = req;
      const page = { pageToken, perPage, byOperator: true };
      return toTenantsEvents(await listEvents(ctx, tenantId || null, fromAuditFilter(req), page));
    },

    explainAnyRequest: async ({ requestId }) => ({
      result: toTenantsExplanation(await explainRequest(ctx, null, requestId)),
    }),
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
