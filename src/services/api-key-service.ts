import type { ApiKeyService } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import type { Authority } from "../domain/access/authority.ts";
import { createGrant, type Grant } from "../domain/access/grant.ts";
import type { KeyRecord } from "../domain/credentials/key.ts";
import type { OnceContext } from "../domain/idempotency/once.ts";
import { changeKey } from "../domain/keys/change.ts";
import { type CheckOidcContext, checkOidc } from "../domain/keys/check-oidc.ts";
import type { CreateKeyContext } from "../domain/keys/create.ts";
import { decideDisable } from "../domain/keys/disable.ts";
import { decideEnable } from "../domain/keys/enable.ts";
import type { KeyChange } from "../domain/keys/key-change.ts";
import type { KeyStore } from "../domain/keys/key-store.ts";
import { createKeyOnce, rotateKeyOnce } from "../domain/keys/make-once.ts";
import { getKey, getKeySeries, getKeyUsage, listKeys } from "../domain/keys/read.ts";
import { decideRevoke } from "../domain/keys/revoke.ts";
import { decideUpdate, parseUpdateMask } from "../domain/keys/update.ts";
import { withGrant } from "../domain/keys/with-grant.ts";
import type { UsageHistory, UsageRecorder } from "../domain/usage/usage-store.ts";
import { pageRequest } from "../domain/vocabulary/page.ts";
import { type CallContext, principalOf, type UnaryImpl } from "../interceptors/call.ts";
import { fromKeyFilter, fromKeyValues, fromNewKey, toApiKey, toCreatedKey, toIssuedKey } from "./api-key-converter.ts";
import { about, actOf, tenantOf } from "./callers.ts";
import { fromOidc } from "./oidc-converter.ts";
import { toPagination } from "./pagination.ts";
import { fromPeriod, toCounters, toSeriesList } from "./usage-converter.ts";

export function createApiKeyService(
  ctx: CreateKeyContext &
    OnceContext &
    CheckOidcContext & {
      readonly keys: KeyStore;
      readonly usage: UsageRecorder;
      readonly history: UsageHistory;
      readonly authority: Authority;
    },
): UnaryImpl<typeof ApiKeyService> {
  const { authority } = ctx;
  const { catalogue } = authority;
  const grantOf = (context: CallContext): Grant => createGrant(authority, principalOf(context.values));

  /** Applies one verb to the key that a request names and returns the changed record. */
  async function mutate(
    req: { keyId: string },
    context: CallContext,
    decide: (current: KeyRecord, now: Date) => KeyChange,
  ) {
    const keyCtx = { keys: ctx.keys, clock: ctx.keyClock };
    const record = await changeKey(keyCtx, tenantOf(context), req.keyId, decide, actOf(context));
    about(context, record.keyId);
    return { result: toApiKey(record, ctx.keyClock(), catalogue) };
  }

  return {
    async createApiKey(req, context) {
      const command = fromNewKey(req, tenantOf(context));
      const created = await createKeyOnce(ctx, command, req.clientRequestId, grantOf(context), actOf(context));
      about(context, created.keyId);
      return toCreatedKey(created);
    },

    async listApiKeys(req, context) {
      const page = pageRequest(req.page, req.perPage);
      // One instant for the filter and for the statuses in the answer.
      const now = ctx.keyClock();
      const { items, total } = await listKeys(ctx, tenantOf(context), fromKeyFilter(req, now), page);
      return { keys: items.map((record) => toApiKey(record, now, catalogue)), pagination: toPagination(page, total) };
    },

    async getApiKey(req, context) {
      return { result: toApiKey(await getKey(ctx, tenantOf(context), req.keyId), ctx.keyClock(), catalogue) };
    },

    updateApiKey(req, context) {
      const fields = parseUpdateMask(req.updateMask);
      const values = fromKeyValues(req);
      const decide = (current: KeyRecord, now: Date) => decideUpdate(current, fields, values, catalogue, now);
      return mutate(req, context, withGrant(grantOf(context), decide));
    },

    revokeApiKey: (req, context) => mutate(req, context, decideRevoke),
    disableApiKey: (req, context) => mutate(req, context, decideDisable),
    enableApiKey: (req, context) => mutate(req, context, withGrant(grantOf(context), decideEnable)),

    async getApiKeyUsage(req, context) {
      const tenantId = tenantOf(context);
      if (req.from === undefined && req.to === undefined && req.step === undefined)
        return { result: toCounters(await getKeyUsage(ctx, tenantId, req.keyId)) };
      const { usage, series } = await getKeySeries(ctx, tenantId, req.keyId, fromPeriod(req));
      return { result: toCounters(usage), series: toSeriesList(series) };
    },

    async rotateApiKey(req, context) {
      const { keyId, gracePeriodHours: graceHours, clientRequestId } = req;
      const command = { tenantId: tenantOf(context), keyId, graceHours };
      const issued = await rotateKeyOnce(ctx, command, clientRequestId, grantOf(context), actOf(context));
      about(context, keyId);
      return { result: toIssuedKey(issued) };
    },

    async checkOidc({ oidc, keyId, token }, context) {
      const results = await checkOidc(ctx, tenantOf(context), { oidc: fromOidc(oidc), keyId, token });
      return { steps: results.map((result) => ({ ...result })), passed: results.every(({ passed }) => passed) };
    },
  };
}
