// promise: delivery.types
import { expect, test } from "vitest";
import { eventTypesOf } from "./event-types.ts";

test("an action of the audit trail is the event that receivers know", () => {
  expect(eventTypesOf("api_key.created", {})).toEqual(["api_key.created"]);
  expect(eventTypesOf("api_key.policy_set", {})).toEqual(["key_policy.updated"]);
  expect(eventTypesOf("org.member.role_set", {})).toEqual(["org.member.role_changed"]);
});

test("a leak that disables the key is both events, and one of a disabled key is one", () => {
  const disabled = { old: null, new: "2026-01-01T00:00:00.000Z" };
  expect(eventTypesOf("api_key.leaked", { leaked_at: {}, disabled_at: disabled })).toEqual([
    "api_key.leaked",
    "api_key.disabled",
  ]);
  expect(eventTypesOf("api_key.leaked", { leaked_at: {} })).toEqual(["api_key.leaked"]);
});

test("an accepted invitation is a new member, too", () => {
  expect(eventTypesOf("org.invitation.accepted", {})).toEqual(["org.invitation.accepted", "org.member.added"]);
});

test.each([
  "access.denied",
  "user.impersonated",
  "webhook.created",
  "org.switched",
  "tenant.erased",
  "constructor",
  "",
])("rejects %j as an event", (action) => expect(eventTypesOf(action, {})).toEqual([]));
