import type { Message } from "@bufbuild/protobuf";
import type {
  CreateApiKeyRequest,
  GetApiKeyRequest,
  GetApiKeyUsageRequest,
  ListApiKeysRequest,
  RotateApiKeyRequest,
  UpdateApiKeyRequest,
} from "../../gen/latchkey/v1/api_key_service_pb.ts";
import type { Authority } from "../domain/access/authority.ts";
import { createGrant, type Grant } from "../domain/access/grant.ts";
import type { KeyRecord } from "../domain/credentials/key.ts";
import type { IdempotencyContext } from "../domain/idempotency/idempotently.ts";
import { changeKey } from "../domain/keys/change.ts";
import type { CreateKeyContext } from "../domain/keys/create.ts";
import { decideDisable } from "../domain/keys/disable.ts";
import { decideEnable } from "../domain/keys/enable.ts";
import { createKeyIdempotently, rotateKeyIdempotently } from "../domain/keys/idempotent-keys.ts";
import type { KeyChange } from "../domain/keys/key-change.ts";
import type { KeyDetails } from "../domain/keys/key-details.ts";
import type { KeyStore } from "../domain/keys/key-store.ts";
import { getKey, getKeySeries, getKeyUsage, listKeys } from "../domain/keys/read.ts";
import { decideRevoke } from "../domain/keys/revoke.ts";
import { decideUpdate, parseUpdateMask } from "../domain/keys/update.ts";
import { withGrant } from "../domain/keys/with-grant.ts";
import type { UsageHistory, UsageRecorder } from "../domain/usage/usage-store.ts";
import { askedPage } from "../domain/vocabulary/page.ts";
import { type CallContext, principalOf } from "../interceptors/call.ts";
import { fromKeyFilter, fromKeyValues, fromNewKey, toApiKey, toCreatedKey, toIssuedKey } from "./api-key-converter.ts";
import { actOf, setLogTarget } from "./callers.ts";
import { toPlace } from "./pagination.ts";
import { fromPeriod, toCounters, toSeriesList } from "./usage-converter.ts";

export interface KeyRpcsContext extends CreateKeyContext, IdempotencyContext {
  readonly keys: KeyStore;
  readonly usage: UsageRecorder;
  readonly history: UsageHistory;
  readonly authority: Authority;
}

/** The members of a request, of a tenant's RPC or of its twin for the operator. */
type Members<Request extends Message> = Omit<Request, keyof Message>;

/**
 * The RPCs about keys of one tenant. Its users call them for their own tenant, the operator for the one that a request
 * names; the caller of `context` decides what may be granted, and is in the audit trail.
 */
export function createKeyRpcs(ctx: KeyRpcsContext) {
  const { authority } = ctx;
  const { catalogue } = authority;
  const grantOf = (context: CallContext): Grant => createGrant(authority, principalOf(context.values));

  /** Applies one verb to a key and returns the changed record. */
  async function change(
    tenantId: string,
    keyId: string,
    context: CallContext,
    decide: (current: KeyRecord, now: Date) => KeyChange,
  ): Promise<KeyDetails> {
    const keyCtx = { keys: ctx.keys, clock: ctx.keyClock };
    const record = await changeKey(keyCtx, tenantId, keyId, decide, actOf(context));
    setLogTarget(context, record.keyId);
    return record;
  }

  return {
    async create(tenantId: string, req: Members<CreateApiKeyRequest>, context: CallContext) {
      const command = fromNewKey(req, tenantId);
      const created = await createKeyIdempotently(ctx, command, req.clientRequestId, grantOf(context), actOf(context));
      setLogTarget(context, created.keyId);
      return toCreatedKey(created);
    },

    async list(tenantId: string, req: Members<ListApiKeysRequest>) {
      const page = askedPage(req);
      // One instant for the filter and for the statuses in the answer.
      const now = ctx.keyClock();
      const { items, total } = await listKeys(ctx, tenantId, fromKeyFilter(req, now), page);
      return { keys: items.map((record) => toApiKey(record, now, catalogue)), ...toPlace(page, total) };
    },

    async get(tenantId: string, { keyId }: Members<GetApiKeyRequest>) {
      return { result: toApiKey(await getKey(ctx, tenantId, keyId), ctx.keyClock(), catalogue) };
    },

    async update(tenantId: string, req: Members<UpdateApiKeyRequest>, context: CallContext) {
      const fields = parseUpdateMask(req.updateMask);
      const values = fromKeyValues(req);
      const decide = (current: KeyRecord, now: Date) => decideUpdate(current, fields, values, catalogue, now);
      const record = await change(tenantId, req.keyId, context, withGrant(grantOf(context), decide));
      return { result: toApiKey(record, ctx.keyClock(), catalogue) };
    },

    revoke: (tenantId: string, keyId: string, context: CallContext) => change(tenantId, keyId, context, decideRevoke),
    disable: (tenantId: string, keyId: string, context: CallContext) => change(tenantId, keyId, context, decideDisable),
    enable: (tenantId: string, keyId: string, context: CallContext) =>
      change(tenantId, keyId, context, withGrant(grantOf(context), decideEnable)),

    async usage(tenantId: string, req: Members<GetApiKeyUsageRequest>) {
      if (req.from === undefined && req.to === undefined && req.step === undefined)
        return { result: toCounters(await getKeyUsage(ctx, tenantId, req.keyId)) };
      const { usage, series } = await getKeySeries(ctx, tenantId, req.keyId, fromPeriod(req));
      return { result: toCounters(usage), series: toSeriesList(series) };
    },

    async rotate(tenantId: string, req: Members<RotateApiKeyRequest>, context: CallContext) {
      const { keyId, gracePeriodHours: graceHours, clientRequestId } = req;
      const command = { tenantId, keyId, graceHours };
      const issued = await rotateKeyIdempotently(ctx, command, clientRequestId, grantOf(context), actOf(context));
      setLogTarget(context, keyId);
      return { result: toIssuedKey(issued) };
    },
  };
}
