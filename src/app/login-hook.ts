import type { Config } from "../config/config.ts";
import type { IdentityClaimsContext } from "../transport/endpoints/identity-claims.ts";
import type { LiveSecrets } from "./live-secrets.ts";

/** Undefined: no login hook of an identity provider is configured. */
export function createIdentityClaims(
  { dashboard, identityHookSecrets }: Config,
  live: LiveSecrets,
  ctx: Pick<IdentityClaimsContext, "memberships" | "clock" | "translate">,
): IdentityClaimsContext | undefined {
  if (dashboard === null || identityHookSecrets.length === 0) return undefined;
  const secrets = () => live.now.identityHookSecrets;
  return { ...ctx, secrets, issuer: dashboard.expectation.issuer, matchSecret: live.matchHookSecret };
}
