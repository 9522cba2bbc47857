import type { Changes } from "../audit/changes.ts";

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

/** What each action of the audit trail means for receivers. Actions that are not here are of no event. */
const OF_ACTIONS: Readonly<Record<string, EventType>> = {
  "api_key.created": "api_key.created",
  "api_key.imported": "api_key.created",
  "api_key.updated": "api_key.updated",
  "api_key.rotated": "api_key.rotated",
  "api_key.disabled": "api_key.disabled",
  "api_key.enabled": "api_key.enabled",
  "api_key.revoked": "api_key.revoked",
  "api_key.leaked": "api_key.leaked",
  "api_key.policy_set": "key_policy.updated",
  "org.member.role_set": "org.member.role_changed",
  "org.member.removed": "org.member.removed",
  "org.invitation.created": "org.invitation.created",
  "org.invitation.accepted": "org.invitation.accepted",
  "tenant.suspended": "tenant.suspended",
  "tenant.resumed": "tenant.resumed",
  "user.erased": "user.erased",
};

/** The events of one change. A change may be two: a leak also disables the key, and who accepts an invitation becomes a member. */
export function eventTypesOf(action: string, changes: Changes): readonly EventType[] {
  const type = Object.hasOwn(OF_ACTIONS, action) ? OF_ACTIONS[action] : undefined;
  if (type === undefined) return [];
  if (type === "api_key.leaked" && changes.disabled_at?.new) return [type, "api_key.disabled"];
  if (type === "org.invitation.accepted") return [type, "org.member.added"];
  return [type];
}
