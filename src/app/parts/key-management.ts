import type { PartContext } from "../part.ts";

/** What the services that create and change keys share: those of a tenant and that of the operator. */
export function keyManagement({ config, storage, access }: PartContext) {
  const { rateLimitDefault, keyBrand, tenantKeysMax, jwksAllowedHosts } = config;
  const { keys, calls, history, keyClock } = storage;
  const { authority, tokens, usage, isOwnIssuer, isUsableOidc } = access;
  const providers = { tokens, providers: tokens, jwksAllowedHosts, isOwnIssuer, isUsableOidc };
  const rules = { rateLimitDefault, keyBrand, tenantKeysMax, catalogue: config.access.catalogue, authority };
  return { keys, calls, usage, history, keyClock, ...rules, ...providers };
}
