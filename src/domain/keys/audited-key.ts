import type { Audited } from "../audit/changes.ts";
import type { KeyRecord, OidcConfig } from "../credentials/key.ts";
import type { Caps, RateLimit } from "../limits/caps.ts";
import type { Json } from "../vocabulary/json.ts";
import type { KeyDetails } from "./key-details.ts";

/** A key as the audit trail compares it: all that callers can change, and nothing that is derived from the secret. */
export function auditedKey(key: KeyRecord & Partial<Pick<KeyDetails, "leak">>): Audited {
  return {
    name: key.name,
    description: key.description,
    key_type: key.type,
    permissions: [...key.permissions],
    rate_limit: auditedLimit(key.rateLimit),
    publishable_config: key.oidc === null ? null : { oidc: auditedOidc(key.oidc) },
    expires_at: instant(key.expiresAt),
    disabled_at: instant(key.disabledAt),
    revoked_at: instant(key.revokedAt),
    rotated_to: key.rotatedTo,
    rotated_from: key.rotatedFrom,
    metadata: key.metadata,
    external_id: key.externalId || null,
    leaked_at: instant(key.leak?.at ?? null),
    leak_url: key.leak?.url ?? null,
    leak_source: key.leak?.source ?? null,
    allowed_ips: key.allowedIps.length === 0 ? null : [...key.allowedIps],
    allowed_origins: key.allowedOrigins.length === 0 ? null : [...key.allowedOrigins],
    allow_browser: key.type === "secret" && key.allowBrowser ? true : null,
  };
}

export function auditedLimit({ perUser, ...caps }: RateLimit): Json {
  return { ...auditedCaps(caps), ...(perUser && { per_user: auditedCaps(perUser) }) };
}

function auditedCaps({ requestsPerMinute, requestsPerHour, burstSize }: Caps) {
  return { requests_per_minute: requestsPerMinute, requests_per_hour: requestsPerHour, burst_size: burstSize };
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
