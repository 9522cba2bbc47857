import type { OidcConfig } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";

/** The configuration of a publishable key, as typed. */
export interface OidcDraft {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  readonly userIdClaim: string;
  readonly userIdPrefix: string;
}

export const NO_OIDC: OidcDraft = { issuer: "", audience: "", jwksUrl: "", userIdClaim: "", userIdPrefix: "" };

export function oidcDraftOf(oidc: OidcConfig | undefined): OidcDraft {
  if (oidc === undefined) return NO_OIDC;
  const { issuer, audience, jwksUrl, userIdClaim, userIdPrefix = "" } = oidc;
  return { issuer, audience, jwksUrl, userIdClaim, userIdPrefix };
}

/** Undefined: what is required is not typed yet. */
export function oidcOf({ issuer, audience, jwksUrl, userIdClaim, userIdPrefix }: OidcDraft) {
  if (issuer.trim() === "" || audience.trim() === "") return undefined;
  return {
    issuer: issuer.trim(),
    audience: audience.trim(),
    jwksUrl: jwksUrl.trim(),
    userIdClaim: userIdClaim.trim(),
    ...(userIdPrefix !== "" && { userIdPrefix }),
  };
}
