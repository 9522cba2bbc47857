import { kindOf } from "../vocabulary/json-kind.ts";
import { isJsonObject } from "../vocabulary/json-object.ts";
import type { JwksOwner } from "./claims.ts";
import { checkJwksUrl } from "./oidc-urls.ts";
import { type IsOwnIssuer, OWN_ISSUER } from "./own-issuer.ts";
import type { ProviderMetadata } from "./provider-metadata.ts";
import { slipBetween } from "./refused-claims.ts";

/** What an issuer publishes, or the setting at fault with the problem, as what follows its name. */
export type Discovered = { readonly jwksUrl: string } | NotDiscovered;

export type DiscoveredMetadata = { readonly metadata: Readonly<Record<string, unknown>> } | NotDiscovered;

interface NotDiscovered {
  /** `own_key_set`: what the issuer publishes leads to this service. */
  readonly at: "issuer" | "key_set" | "own_key_set";
  readonly problem: string;
}

const PATH = "/.well-known/openid-configuration";

/** Reads the address of an issuer's key set from its metadata. Does not check the address. */
export async function discoverKeySet(
  providers: ProviderMetadata,
  issuer: string,
  owner: JwksOwner,
): Promise<Discovered> {
  const found = await discoverMetadata(providers, issuer, owner);
  if (!("metadata" in found)) return found;
  const jwksUrl = found.metadata.jwks_uri;
  return typeof jwksUrl === "string" ? { jwksUrl } : notDiscovered(`${PATH} of the issuer has no jwks_uri`);
}

/** The same for a tenant's issuer, whose key set must have an address that is fetched for tenants. */
export async function discoverTenantsKeySet(
  {
    providers,
    jwksAllowedHosts,
    isOwnIssuer,
  }: {
    readonly providers: ProviderMetadata;
    readonly jwksAllowedHosts: readonly string[];
    readonly isOwnIssuer: IsOwnIssuer;
  },
  tenantId: string,
  issuer: string,
): Promise<Discovered> {
  const found = await discoverKeySet(providers, issuer, { kind: "tenant", tenantId });
  if ("problem" in found) return found;
  if (isOwnIssuer(found.jwksUrl)) return { at: "own_key_set", problem: `${FOUND} ${OWN_ISSUER}` };
  const problem = checkJwksUrl(found.jwksUrl, jwksAllowedHosts);
  return problem === undefined ? found : notDiscovered(`${FOUND} ${problem}`);
}

const FOUND = "the jwks_uri that the issuer publishes";

/** Fetches an issuer's metadata (OpenID Connect Discovery 1.0, 4), which names it. Checks no other member. */
export async function discoverMetadata(
  providers: ProviderMetadata,
  issuer: string,
  owner: JwksOwner,
): Promise<DiscoveredMetadata> {
  // A slash at the end is not doubled (4.1).
  const fetched = await providers.fetchDocument(issuer.replace(/\/$/, "") + PATH, owner);
  if ("problem" in fetched) return notDiscovered(`${PATH} of the issuer could not be fetched: ${fetched.problem}`);
  const { document } = fetched;
  if (!isJsonObject(document))
    return notDiscovered(`${PATH} of the issuer is ${kindOf(document)} instead of an object`);
  if (document.issuer !== issuer) {
    const slip = typeof document.issuer === "string" ? slipBetween(document.issuer, issuer) : undefined;
    // The document's own text is not repeated: it is not the caller's.
    const differs = `differs from the issuer that its ${PATH} names${slip === undefined ? "" : `, only in ${slip}`}`;
    return { at: "issuer", problem: `${differs}; give the one that tokens have in iss` };
  }
  return { metadata: document };
}

function notDiscovered(why: string): NotDiscovered {
  return { at: "key_set", problem: `could not be discovered: ${why}` };
}
