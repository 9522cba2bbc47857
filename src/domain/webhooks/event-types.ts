/** The types of events that webhooks can be for. */
export const EVENT_TYPES = [
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
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** The type of the event that tests an endpoint. It is sent whatever types the webhook is for. */
export const TEST_TYPE = "webhook.test";
