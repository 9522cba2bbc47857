import { getOption } from "@bufbuild/protobuf";
import { field as rulesOption } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { expect, test } from "vitest";
import type { AuditAction, KeyMember, WebhookEventName } from "../../clients/typescript/src/index.ts";
import type { MaskMembers } from "../../clients/typescript/src/vocabulary.ts";
import { ListAuditEventsRequestSchema } from "../../gen/latchkey/v1/audit_service_pb.ts";
import { UpdateFederationRuleRequestSchema } from "../../gen/latchkey/v1/federation_service_pb.ts";
import { ListTenantsEventsRequestSchema } from "../../gen/latchkey/v1/operator_service_pb.ts";
import { UpdateWebhookRequestSchema } from "../../gen/latchkey/v1/webhook_service_pb.ts";
import { MASKABLE as RULE_NAMES } from "../../src/domain/federation/rules.ts";
import { LIMIT_PATHS } from "../../src/domain/keys/limit-mask.ts";
import { EVENT_TYPES } from "../../src/domain/webhooks/event-types.ts";
import { MASKABLE as WEBHOOK_NAMES } from "../../src/domain/webhooks/update.ts";
import { maskMembers } from "../harness/narrowing-members.ts";
import { SERVICES } from "../harness/services.ts";

// What editors complete. `Record` makes the compiler find a name that the types have and this list lacks, or the reverse.

const ACTIONS: Record<AuditAction, true> = {
  "access.denied": true,
  "api_key.created": true,
  "api_key.disabled": true,
  "api_key.enabled": true,
  "api_key.exported": true,
  "api_key.import_called": true,
  "api_key.imported": true,
  "api_key.leaked": true,
  "api_key.policy_set": true,
  "api_key.revoked": true,
  "api_key.rotated": true,
  "api_key.updated": true,
  "change.lost": true,
  "change.restored": true,
  "federation.rule_created": true,
  "federation.rule_deleted": true,
  "federation.rule_updated": true,
  "key_format.created": true,
  "key_format.deleted": true,
  "org.created": true,
  "org.invitation.accepted": true,
  "org.invitation.created": true,
  "org.invitation.revoked": true,
  "org.member.removed": true,
  "org.member.role_set": true,
  "org.switched": true,
  "org.updated": true,
  "tenant.erased": true,
  "tenant.resumed": true,
  "tenant.suspended": true,
  "token.derived": true,
  "token.revoked": true,
  "user.erased": true,
  "user.impersonated": true,
  "webhook.created": true,
  "webhook.deleted": true,
  "webhook.disabled": true,
  "webhook.secret_rotated": true,
  "webhook.updated": true,
};

const EVENTS: Record<WebhookEventName, true> = {
  "api_key.created": true,
  "api_key.disabled": true,
  "api_key.enabled": true,
  "api_key.expired": true,
  "api_key.expiring": true,
  "api_key.leaked": true,
  "api_key.rate_limited": true,
  "api_key.revoked": true,
  "api_key.rotated": true,
  "api_key.unused": true,
  "api_key.updated": true,
  "key_policy.updated": true,
  "org.invitation.accepted": true,
  "org.invitation.created": true,
  "org.member.added": true,
  "org.member.removed": true,
  "org.member.role_changed": true,
  "run.completed": true,
  "run.failed": true,
  "tenant.resumed": true,
  "tenant.suspended": true,
  "user.erased": true,
};

test.each([ListAuditEventsRequestSchema, ListTenantsEventsRequestSchema])(
  "the client's types name the actions that $typeName takes",
  ({ field }) => {
    const { type } = getOption(field.action, rulesOption);
    expect(type.case === "string" ? type.value.in.toSorted() : []).toEqual(Object.keys(ACTIONS).toSorted());
  },
);

// The client's types take these names from the generated messages; `test/proto/key-members.test.ts` compares those of keys.
test.each([
  [UpdateFederationRuleRequestSchema, RULE_NAMES],
  [UpdateWebhookRequestSchema, WEBHOOK_NAMES],
])("the members of $typeName are those that its mask takes", (request, names) => {
  expect(maskMembers(request).toSorted()).toEqual(names.toSorted());
});

test("the client's types name the members of a limit that a mask takes", () => {
  const members: Record<Extract<KeyMember, `rate_limit.${string}`>, true> = {
    "rate_limit.requests_per_minute": true,
    "rate_limit.requests_per_hour": true,
    "rate_limit.burst_size": true,
    "rate_limit.per_user": true,
    "rate_limit.per_user.requests_per_minute": true,
    "rate_limit.per_user.requests_per_hour": true,
    "rate_limit.per_user.burst_size": true,
  };
  expect(Object.keys(members).toSorted()).toEqual(LIMIT_PATHS.map(([path]) => path).toSorted());
});

test("the client's types name the events that a webhook can be for", () => {
  expect(Object.keys(EVENTS).toSorted()).toEqual(EVENT_TYPES.toSorted());
});

test("every request with a mask has names for editors to complete", () => {
  const requests = SERVICES.flatMap(({ methods }) => methods.map(({ input }) => input));
  const masked = requests.filter(({ field }) => "updateMask" in field);
  const named: Record<keyof MaskMembers, true> = {
    "latchkey.v1.UpdateApiKeyRequest": true,
    "latchkey.v1.UpdateTenantKeyRequest": true,
    "latchkey.v1.UpdateFederationRuleRequest": true,
    "latchkey.v1.UpdateWebhookRequest": true,
  };
  expect(masked.map(({ typeName }) => typeName).toSorted()).toEqual(Object.keys(named).toSorted());
});
