import type { JwksOwner } from "./claims.ts";
import { discoverMetadata } from "./discovery.ts";
import type { ProviderMetadata } from "./provider-metadata.ts";

/**
 * The settings by which a page signs its users in, under the names of the provider's metadata (OpenID Connect Discovery 1.0, 3;
 * RFC 9207, 3; RP-Initiated Logout 1.0, 2.1).
 */
export interface SignInMetadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  /** Undefined: the provider has none, and its own session outlives a sign-out. */
  readonly end_session_endpoint?: string | undefined;
  /** Undefined: the provider does not say. */
  readonly id_token_signing_alg_values_supported?: readonly string[] | undefined;
  readonly authorization_response_iss_parameter_supported?: boolean | undefined;
}

/** The metadata, or why it cannot be used, as a sentence for operators. */
export type DiscoveredSignIn = { readonly metadata: SignInMetadata } | { readonly problem: string };

/** Reads what a page needs from an issuer's metadata. Never rejects. */
export async function discoverSignIn(
  providers: ProviderMetadata,
  issuer: string,
  owner: JwksOwner,
): Promise<DiscoveredSignIn> {
  const found = await discoverMetadata(providers, issuer, owner);
  if ("problem" in found) {
    const subject = found.at === "issuer" ? "OIDC_ISSUER" : "The sign-in of OIDC_ISSUER";
    return { problem: `${subject} ${found.problem}.` };
  }
  const { metadata } = found;
  const authorization_endpoint = endpoint(metadata.authorization_endpoint, issuer);
  const token_endpoint = endpoint(metadata.token_endpoint, issuer);
  if (authorization_endpoint === undefined) return { problem: lacks("authorization_endpoint") };
  if (token_endpoint === undefined) return { problem: lacks("token_endpoint") };
  const algs = metadata.id_token_signing_alg_values_supported;
  return {
    metadata: {
      issuer,
      authorization_endpoint,
      token_endpoint,
      end_session_endpoint: endpoint(metadata.end_session_endpoint, issuer),
      id_token_signing_alg_values_supported: Array.isArray(algs) ? algs.filter(isText) : undefined,
      authorization_response_iss_parameter_supported: metadata.authorization_response_iss_parameter_supported === true,
    },
  };
}

/** Plain http only where the issuer, which the operator chose, is plain http, too. */
function endpoint(value: unknown, issuer: string): string | undefined {
  const url = isText(value) ? URL.parse(value) : null;
  if (url === null || url.username + url.password !== "") return undefined;
  return url.protocol === "https:" || (url.protocol === "http:" && issuer.startsWith("http:")) ? url.href : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function lacks(member: string): string {
  return `The metadata of OIDC_ISSUER has no ${member} that is an https URL.`;
}
