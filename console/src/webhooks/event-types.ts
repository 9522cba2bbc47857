/** The types of events that an endpoint can choose. The API takes others too, once it has them: an endpoint shows what it has. */
export const EVENT_TYPES: readonly string[] = [
  "api_key.created",
  "api_key.disabled",
  "api_key.enabled",
  "api_key.expired",
  "api_key.expiring",
  "api_key.leaked",
  "api_key.rate_limited",
  "api_key.revoked",
  "api_key.rotated",
  "api_key.unused",
  "api_key.updated",
  "key_policy.updated",
  "org.invitation.accepted",
  "org.invitation.created",
  "org.member.added",
  "org.member.removed",
  "org.member.role_changed",
  "run.completed",
  "run.failed",
  "tenant.resumed",
  "tenant.suspended",
  "user.erased",
];

export const ALL = "*";
