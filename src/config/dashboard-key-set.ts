import { discoverKeySet } from "../domain/tokens/discovery.ts";
import { OWN_ISSUER } from "../domain/tokens/own-issuer.ts";
import type { ProviderMetadata } from "../domain/tokens/provider-metadata.ts";
import type { Config } from "./config.ts";
import { isUnforgeable } from "./dashboard.ts";
import { ownIssuerOf } from "./own-issuer.ts";
import type { DashboardProvider } from "./settings.ts";

type KeySetConfig = Pick<Config, "dashboard" | "jwksAllowedHosts" | "accessTokens" | "host" | "port" | "adminPort">;

/**
 * The dashboard's provider with its key set, which is discovered once, at the start, if OIDC_JWKS_URL is not set. Throws an
 * error for the operator if it cannot be. It loads the modules for fetches of the key set, so that a ready process loads no
 * more files.
 */
export async function withKeySet(
  config: KeySetConfig,
  providers: ProviderMetadata & { prepare(): Promise<void> },
): Promise<DashboardProvider | null> {
  const { dashboard, jwksAllowedHosts } = config;
  if (dashboard === null) return null;
  await providers.prepare();
  const { expectation } = dashboard;
  const { issuer, jwksUrl, jwksOwner } = expectation;
  if (jwksUrl !== undefined) return { ...dashboard, expectation: { ...expectation, jwksUrl } };
  const found = await discoverKeySet(providers, issuer, jwksOwner);
  if ("problem" in found) {
    if (found.at === "issuer") throw new Error(`OIDC_ISSUER ${found.problem}, or set OIDC_JWKS_URL, too`);
    throw new Error(`OIDC_JWKS_URL ${found.problem}; set it, or start again when the issuer is reachable`);
  }
  const url = URL.parse(found.jwksUrl);
  // As of OIDC_JWKS_URL: a user name or password would not be sent.
  if (url === null || url.username + url.password !== "" || !isUnforgeable(found.jwksUrl, jwksAllowedHosts)) {
    throw new Error(
      "OIDC_JWKS_URL could not be discovered: the jwks_uri that the issuer publishes is not an https URL without user name and password; set it",
    );
  }
  if (ownIssuerOf(config)(found.jwksUrl))
    throw new Error(`OIDC_JWKS_URL could not be discovered: the jwks_uri that the issuer publishes ${OWN_ISSUER}`);
  return { ...dashboard, expectation: { ...expectation, jwksUrl: found.jwksUrl } };
}
