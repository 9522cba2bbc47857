import { getOption } from "@bufbuild/protobuf";
import { field as rulesOption } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { expect, test } from "vitest";
import type {
  AuditAction,
  FederationRuleMember,
  KeyMember,
  WebhookEventName,
  WebhookMember,
} from "../../clients/typescript/src/index.ts";
import type { MaskMembers } from "../../clients/typescript/src/vocabulary.ts";
import { ListAuditEventsRequestSchema } from "../../gen/latchkey/v1/audit_service_pb.ts";
import { ListTenantsEventsRequestSchema } from "../../gen/latchkey/v1/operator_service_pb.ts";
import { MASKABLE as RULE_NAMES } from "../../src/domain/federation/rules.ts";
import { LIMIT_PATHS } from "../../src/domain/keys/limit-mask.ts";
import { MASKABLE_NAMES } from "../../src/domain/keys/update.ts";
import { EVENT_TYPES } from "../../src/domain/webhooks/event-types.ts";
import { MASKABLE as WEBHOOK_NAMES } from "../../src/domain/webhooks/update.ts";
import { SERVICES } from "../harness/services.ts";

// What editors complete. `Record` makes the compiler find a name that the types have and this list lacks, or the reverse.

const ACTIONS: Record<AuditAction, true> = {
  "access.denied": true,
  "api_key.created": true,
  "api_key.disabled": true,
  "api_key.enabled": true,
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

const KEY_MEMBERS: Record<KeyMember, true> = {
  name: true,
  description: true,
  permissions: true,
  rate_limit: true,
  "rate_limit.requests_per_minute": true,
  "rate_limit.requests_per_hour": true,
  "rate_limit.burst_size": true,
  "rate_limit.per_user": true,
  "rate_limit.per_user.requests_per_minute": true,
  "rate_limit.per_user.requests_per_hour": true,
  "rate_limit.per_user.burst_size": true,
  expires_at: true,
  metadata: true,
  external_id: true,
  allowed_ips: true,
  allowed_origins: true,
  allow_browser: true,
};

const RULE_MEMBERS: Record<FederationRuleMember, true> = {
  name: true,
  issuer: true,
  jwks_url: true,
  jwks: true,
  audience: true,
  claim_rules: true,
  key_id: true,
  scopes: true,
  ttl_seconds: true,
  status: true,
};

const WEBHOOK_MEMBERS: Record<WebhookMember, true> = { url: true, events: true, description: true, status: true };

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

test("the client's types name the members that a mask takes, in snake case", () => {
  const limits = LIMIT_PATHS.map(([path]) => path);
  expect(Object.keys(KEY_MEMBERS).toSorted()).toEqual([...MASKABLE_NAMES, ...limits].toSorted());
});

test("the client's types name the members that the masks of federation rules and of webhooks take", () => {
  expect(Object.keys(RULE_MEMBERS).toSorted()).toEqual(RULE_NAMES.toSorted());
  expect(Object.keys(WEBHOOK_MEMBERS).toSorted()).toEqual(WEBHOOK_NAMES.toSorted());
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
