import type { OidcConfig } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";

/** The configuration of a publishable key, as typed. */
export interface OidcDraft {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  readonly userIdClaim: string;
}

export const NO_OIDC: OidcDraft = { issuer: "", audience: "", jwksUrl: "", userIdClaim: "" };

export function oidcDraftOf(oidc: OidcConfig | undefined): OidcDraft {
  if (oidc === undefined) return NO_OIDC;
  const { issuer, audience, jwksUrl, userIdClaim } = oidc;
  return { issuer, audience, jwksUrl, userIdClaim };
}

/** Undefined: what is required is not typed yet. */
export function oidcOf({ issuer, audience, jwksUrl, userIdClaim }: OidcDraft) {
  if (issuer.trim() === "" || audience.trim() === "") return undefined;
  return {
    issuer: issuer.trim(),
    audience: audience.trim(),
    jwksUrl: jwksUrl.trim(),
    userIdClaim: userIdClaim.trim(),
  };
}
