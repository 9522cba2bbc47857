import type { ApiKeyService } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import { type CheckOidcContext, checkOidc } from "../domain/keys/check-oidc.ts";
import type { KeyDetails } from "../domain/keys/key-details.ts";
import type { UnaryImpl } from "../interceptors/call.ts";
import { toApiKey } from "./api-key-converter.ts";
import { tenantOf } from "./callers.ts";
import { createKeyImportRpcs, type KeyImportContext } from "./key-import-rpcs.ts";
import { createKeyRpcs, type KeyRpcsContext } from "./key-rpcs.ts";
import { fromOidc } from "./oidc-converter.ts";

export function createApiKeyService(
  ctx: KeyRpcsContext & KeyImportContext & CheckOidcContext,
): UnaryImpl<typeof ApiKeyService> {
  const rpcs = createKeyRpcs(ctx);
  const imports = createKeyImportRpcs(ctx);
  const changed = async (record: Promise<KeyDetails>) => ({
    result: toApiKey(await record, ctx.keyClock(), ctx.authority.catalogue),
  });

  return {
    createApiKey: async (req, context) => rpcs.create(tenantOf(context), req, context),
    listApiKeys: async (req, context) => rpcs.list(tenantOf(context), req),
    getApiKey: async (req, context) => rpcs.get(tenantOf(context), req),
    updateApiKey: async (req, context) => rpcs.update(tenantOf(context), req, context),
    revokeApiKey: async ({ keyId }, context) => changed(rpcs.revoke(tenantOf(context), keyId, context)),
    disableApiKey: async ({ keyId }, context) => changed(rpcs.disable(tenantOf(context), keyId, context)),
    enableApiKey: async ({ keyId }, context) => changed(rpcs.enable(tenantOf(context), keyId, context)),
    getApiKeyUsage: async (req, context) => rpcs.usage(tenantOf(context), req),
    rotateApiKey: async (req, context) => rpcs.rotate(tenantOf(context), req, context),
    importApiKeys: async (req, context) => imports.importFor(tenantOf(context), req, context),

    async checkOidc({ oidc, keyId, token }, context) {
      const results = await checkOidc(ctx, tenantOf(context), { oidc: fromOidc(oidc), keyId, token });
      return { steps: results.map((result) => ({ ...result })), passed: results.every(({ passed }) => passed) };
    },
  };
}
