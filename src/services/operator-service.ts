import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ApiKeySchema } from "../../gen/latchkey/v1/api_key_pb.ts";
import type { OperatorService, TenantSchema } from "../../gen/latchkey/v1/operator_service_pb.ts";
import { type ListEventsContext, listEvents } from "../domain/audit/list.ts";
import type { EraseContext } from "../domain/erasures/erase.ts";
import { type ExportContext, exportKeys } from "../domain/imports/export.ts";
import type { ForeignKeys } from "../domain/key-formats/foreign-keys.ts";
import type { KeyFormatsContext } from "../domain/key-formats/formats.ts";
import type { KeyDetails } from "../domain/keys/key-details.ts";
import { withLastUse } from "../domain/keys/read.ts";
import { findKeys, keySearch, tenantOfKey } from "../domain/keys/search.ts";
import { type ExplainRequestContext, explainRequest } from "../domain/requests/explain.ts";
import { getTenant } from "../domain/tenants/read.ts";
import { checkedTenantId, resumeTenant, suspendTenant } from "../domain/tenants/suspend.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import type { TenantStore } from "../domain/tenants/tenant-store.ts";
import { askedPage } from "../domain/vocabulary/page.ts";
import type { UnaryImpl } from "../interceptors/call.ts";
import { toApiKey } from "./api-key-converter.ts";
import { fromAuditFilter, toTenantsEvents } from "./audit-converter.ts";
import { actOf, setLogTarget } from "./callers.ts";
import { toTimestamp } from "./dates.ts";
import { createErasureRpcs } from "./erasure-rpcs.ts";
import { createKeyFormatRpcs } from "./key-format-rpcs.ts";
import { createKeyImportRpcs, type KeyImportContext, toExportedKey } from "./key-import-rpcs.ts";
import { createKeyRpcs, type KeyRpcsContext } from "./key-rpcs.ts";
import { toPlace } from "./pagination.ts";
import { toTenantsExplanation } from "./request-converter.ts";

export interface OperatorContext
  extends KeyRpcsContext,
    KeyImportContext,
    ExportContext,
    KeyFormatsContext,
    EraseContext,
    ListEventsContext,
    ExplainRequestContext {
  readonly foreignKeys: Pick<ForeignKeys, "hashOf" | "compiled">;
  readonly tenants: TenantStore;
  readonly operatorTenant: string | null;
}

export function createOperatorService(ctx: OperatorContext): UnaryImpl<typeof OperatorService> {
  const { authority, tenants, usage } = ctx;
  const rpcs = createKeyRpcs(ctx);
  const imports = createKeyImportRpcs(ctx);

  async function toFoundKey(key: KeyDetails, now: Date): Promise<MessageInitShape<typeof ApiKeySchema>> {
    const { isSuspended } = await tenants.findTenant(key.tenantId);
    const shown = toApiKey(withLastUse(key, usage), now, authority.catalogue);
    return { ...shown, tenantId: key.tenantId, tenantSuspended: isSuspended };
  }

  const changed = async (record: Promise<KeyDetails>) => ({ result: await toFoundKey(await record, ctx.keyClock()) });

  return {
    async findKeys(req) {
      const page = askedPage(req);
      const now = ctx.keyClock();
      const { items, total } = await findKeys(ctx, await keySearch(ctx, req), page);
      const keys = await Promise.all(items.map((key) => toFoundKey(key, now)));
      return { keys, ...toPlace(page, total) };
    },

    createTenantKey: async (req, context) => rpcs.create(checkedTenantId(req.tenantId), req, context),
    listTenantKeys: async (req) => rpcs.list(checkedTenantId(req.tenantId), req),
    getTenantKey: async (req) => rpcs.get(checkedTenantId(req.tenantId), req),
    updateTenantKey: async (req, context) => rpcs.update(checkedTenantId(req.tenantId), req, context),
    rotateTenantKey: async (req, context) => rpcs.rotate(checkedTenantId(req.tenantId), req, context),
    getTenantKeyUsage: async (req) => rpcs.usage(checkedTenantId(req.tenantId), req),

    async exportKeys(req, context) {
      const { keys, nextPageToken } = await exportKeys(ctx, req, actOf(context));
      const now = ctx.keyClock();
      return { keys: keys.map((key) => toExportedKey(key, now, authority.catalogue)), nextPageToken };
    },
    importTenantKeys: async (req, context) => imports.importForAny(req, context),

    async disableKey({ keyId }, context) {
      return changed(rpcs.disable(await tenantOfKey(ctx, keyId), keyId, context));
    },
    async enableKey({ keyId }, context) {
      return changed(rpcs.enable(await tenantOfKey(ctx, keyId), keyId, context));
    },
    async revokeKey({ keyId }, context) {
      return changed(rpcs.revoke(await tenantOfKey(ctx, keyId), keyId, context));
    },

    async listTenants(req) {
      const page = askedPage(req);
      const { items, total } = await tenants.listTenants({ onlySuspended: req.onlySuspended }, page);
      return { tenants: items.map(toTenant), ...toPlace(page, total) };
    },

    getTenant: async ({ tenantId }) => ({ result: toTenant(await getTenant(tenants, tenantId)) }),

    async suspendTenant({ tenantId, reason }, context) {
      const tenant = await suspendTenant(ctx, tenantId, reason, actOf(context));
      setLogTarget(context, tenantId);
      return { result: toTenant(tenant) };
    },
    async resumeTenant({ tenantId }, context) {
      const tenant = await resumeTenant(ctx, tenantId, actOf(context));
      setLogTarget(context, tenantId);
      return { result: toTenant(tenant) };
    },
    ...createErasureRpcs(ctx),
    ...createKeyFormatRpcs(ctx),

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
