import type { KeyRecord, OidcConfig } from "../keys/key.ts";
import type { Audited, Json } from "./changes.ts";

/** A key as the audit trail compares it: all that callers can change, and nothing that is derived from the secret. */
export function auditedKey(key: KeyRecord): Audited {
  const { requestsPerMinute, requestsPerHour, burstSize } = key.rateLimit;
  return {
    name: key.name,
    description: key.description,
    key_type: key.type,
    permissions: [...key.permissions],
    rate_limit: { requests_per_minute: requestsPerMinute, requests_per_hour: requestsPerHour, burst_size: burstSize },
    publishable_config: key.oidc === null ? null : { oidc: auditedOidc(key.oidc) },
    expires_at: instant(key.expiresAt),
    disabled_at: instant(key.disabledAt),
    revoked_at: instant(key.revokedAt),
    rotated_to: key.rotatedTo,
    rotated_from: key.rotatedFrom,
  };
}

function auditedOidc({ requiredClaims, authorizedParties, claimRules, ...oidc }: OidcConfig): Json {
  return {
    ...oidc,
    requiredClaims: { ...requiredClaims },
    ...(authorizedParties && { authorizedParties: [...authorizedParties] }),
    ...(claimRules && { claimRules: claimRules.map((rule) => ({ ...rule })) }),
  };
}

function instant(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
