import type { Audited } from "../audit/changes.ts";
import { auditedLimit } from "./audited-values.ts";
import type { KeyPolicy } from "./key-policy.ts";

/** A tenant's rules for its keys as the audit trail compares them. */
export function auditedPolicy(policy: KeyPolicy): Audited {
  return {
    max_lifetime_hours: policy.lifetimeHoursMax,
    expiry_required: policy.isExpiryRequired,
    max_rate_limit: auditedLimit(policy.rateLimitMax),
    permissions: [...policy.permissions],
    allowed_ips_required: policy.areIpsRequired,
    max_keys: policy.keysMax,
  };
}
