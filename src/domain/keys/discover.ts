import { slipBetween } from "../identity/refused-claims.ts";
import { kindOf } from "../json-kind.ts";
import { isJsonObject } from "../json-object.ts";
import type { ProviderMetadata } from "../ports/provider-metadata.ts";
import { invalid } from "../request-fault.ts";
import type { OidcConfig } from "./key.ts";
import { type OidcDraft, withJwksUrl } from "./oidc.ts";
import { checkJwksUrl } from "./oidc-urls.ts";

export interface DiscoverContext {
  readonly providers: ProviderMetadata;
  /** `host:port` of JWKS URLs that may be plain http or private. */
  readonly jwksAllowedHosts: readonly string[];
}

const PATH = "/.well-known/openid-configuration";

/**
 * Completes a configuration without `jwksUrl` from what its issuer publishes (OpenID Connect Discovery 1.0, 4). Throws
 * `RequestFault`, which names the member to set.
 *
 * Only when a key is created: at run time the provider's document could move the trust in its keys elsewhere.
 */
export async function withDiscovery(ctx: DiscoverContext, tenantId: string, oidc: OidcDraft): Promise<OidcConfig> {
  const { issuer, jwksUrl } = oidc;
  if (jwksUrl !== undefined) return { ...oidc, jwksUrl };
  // A slash at the end is not doubled (4.1).
  const fetched = await ctx.providers.fetchDocument(issuer.replace(/\/$/, "") + PATH, tenantId);
  if ("problem" in fetched) throw notDiscovered(`${PATH} of the issuer could not be fetched: ${fetched.problem}`);
  const { document } = fetched;
  if (!isJsonObject(document)) throw notDiscovered(`${PATH} of the issuer is ${kindOf(document)} instead of an object`);
  if (document.issuer !== issuer) {
    const slip = typeof document.issuer === "string" ? slipBetween(document.issuer, issuer) : undefined;
    // The document's own text is not repeated: it is not the caller's.
    throw invalid(
      "publishableConfig.oidc.issuer",
      `differs from the issuer that its ${PATH} names${slip === undefined ? "" : `, only in ${slip}`}; give the one that tokens have in iss, or set jwksUrl, too`,
    );
  }
  const found = document.jwks_uri;
  if (typeof found !== "string") throw notDiscovered(`${PATH} of the issuer has no jwks_uri`);
  const problem = checkJwksUrl(found, ctx.jwksAllowedHosts);
  if (problem !== undefined) throw notDiscovered(`the jwks_uri that the issuer publishes ${problem}`);
  return withJwksUrl(oidc, found);
}

function notDiscovered(why: string) {
  return invalid(
    "publishableConfig.oidc.jwksUrl",
    `could not be discovered: ${why}; set it to the address of the key set`,
  );
}
