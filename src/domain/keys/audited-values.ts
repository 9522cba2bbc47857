import type { OidcConfig } from "../credentials/key.ts";
import type { Caps, RateLimit } from "../limits/caps.ts";
import type { Json } from "../vocabulary/json.ts";

/** Values as the audit trail compares them. */
export function auditedLimit({ perUser, ...caps }: RateLimit): Json {
  return { ...auditedCaps(caps), ...(perUser && { per_user: auditedCaps(perUser) }) };
}

function auditedCaps({ requestsPerMinute, requestsPerHour, burstSize }: Caps) {
  return { requests_per_minute: requestsPerMinute, requests_per_hour: requestsPerHour, burst_size: burstSize };
}

export function auditedOidc({ requiredClaims, authorizedParties, claimRules, ...oidc }: OidcConfig): Json {
  return {
    ...oidc,
    requiredClaims: { ...requiredClaims },
    ...(authorizedParties && { authorizedParties: [...authorizedParties] }),
    ...(claimRules && { claimRules: claimRules.map((rule) => ({ ...rule })) }),
  };
}

export function auditedInstant(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}

/** Null: it is empty. */
export function auditedList(list: readonly string[]): Json {
  return list.length === 0 ? null : [...list];
}
