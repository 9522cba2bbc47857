import type { OidcConfig } from "../credentials/key.ts";
import { discoverTenantsKeySet } from "../tokens/discovery.ts";
import type { ProviderMetadata } from "../tokens/provider-metadata.ts";
import { faultOf } from "../vocabulary/request-fault.ts";
import { type OidcDraft, type OidcRules, withJwksUrl } from "./oidc.ts";

export interface DiscoverContext extends OidcRules {
  readonly providers: ProviderMetadata;
}

const JWKS_URL = "publishableConfig.oidc.jwksUrl";
const SET_IT = "set it to the address of the key set";

/**
 * Completes a configuration without `jwksUrl` from what its issuer publishes. Throws `RequestFault`, which names the member
 * to set.
 *
 * Only when a key is created: at run time the provider's document could move the trust in its keys elsewhere.
 */
export async function withDiscovery(ctx: DiscoverContext, tenantId: string, oidc: OidcDraft): Promise<OidcConfig> {
  const { issuer, jwksUrl } = oidc;
  if (jwksUrl !== undefined) return { ...oidc, jwksUrl };
  const found = await discoverTenantsKeySet(ctx, tenantId, issuer);
  if ("jwksUrl" in found) return withJwksUrl(oidc, found.jwksUrl);
  if (found.at === "issuer")
    throw faultOf("discovery_failed", "publishableConfig.oidc.issuer", `${found.problem}, or set jwksUrl, too`);
  const reason = found.at === "own_key_set" ? "own_issuer" : "discovery_failed";
  throw faultOf(reason, JWKS_URL, `${found.problem}; ${SET_IT}`);
}
