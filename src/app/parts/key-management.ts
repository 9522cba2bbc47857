import { checkMessage } from "../../interceptors/message-checks.ts";
import { createImportStore } from "../../store/sql/keys/key-imports.ts";
import type { PartContext } from "../part.ts";

/** What the services that create and change keys share: those of a tenant and that of the operator. */
export function keyManagement({ config, storage, access }: PartContext) {
  const { rateLimitDefault, keyBrand, tenantKeysMax, jwksAllowedHosts } = config;
  const { keys, calls, history, keyClock } = storage;
  const { authority, foreignKeys, tokens, usage, isOwnIssuer, isUsableOidc } = access;
  const imports = createImportStore(storage.database);
  const providers = { tokens, providers: tokens, jwksAllowedHosts, isOwnIssuer, isUsableOidc };
  const rules = { rateLimitDefault, keyBrand, tenantKeysMax, catalogue: config.access.catalogue, authority };
  return { keys, imports, checkMessage, foreignKeys, calls, usage, history, keyClock, ...rules, ...providers };
}
