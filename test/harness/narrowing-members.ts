import { type DescField, getOption } from "@bufbuild/protobuf";
import { json_member as jsonMember } from "../../gen/latchkey/v1/documentation_pb.ts";
import { Narrowing, narrowing as narrowingOption } from "../../gen/latchkey/v1/narrowing_pb.ts";
import { ruleKeywords } from "../../tools/protoc-gen-openapi/rules.ts";
import { type RequestMember, requestMembers } from "./request-members.ts";

/** How a member may be left empty. */
export type Emptiness = "narrows" | "narrows by its value" | "required" | "other";

export function emptinessOf(field: DescField): Emptiness {
  const narrowing = getOption(field, narrowingOption);
  if (narrowing === Narrowing.BY_ABSENCE) return "narrows";
  if (narrowing === Narrowing.BY_VALUE) return "narrows by its value";
  return ruleKeywords(field).required || getOption(field, jsonMember).required ? "required" : "other";
}

/** `DeriveTokenRequest.user_id` */
export function qualifiedName({ parent, name }: DescField): string {
  return `${parent.name}.${name}`;
}

export function membersThat(...which: readonly Emptiness[]): RequestMember[] {
  return requestMembers().filter(({ field }) => which.includes(emptinessOf(field)));
}

const SPECIFIED = "the specification has null and 0 as no value";
const DESCRIBES = "it describes, and decides nothing";
const MASKED = "an update changes it where its mask names it, and then says what empty means";
const OF_THE_ISSUER = "without it, the keys that the issuer itself publishes";
const DEFAULT_IS_STRICT = "the default is the strictest value";
const REPEATS = "it makes a repeated call harmless; without it, a call is a new one";
const OWN_ISSUER = "the default is one issuer, the caller's own";

/** The optional members of requests that change something and are not declared as narrowing, each with the reason. */
export const REVIEWED: Readonly<Record<string, string>> = {
  "CheckOidcRequest.key_id": "it is what is checked, where no oidc is given",
  "CheckOidcRequest.oidc": "it is what is checked, in place of a key's",
  "CheckOidcRequest.token": "it is what is checked besides; without it less is reported",
  "CreateApiKeyRequest.allow_browser": DEFAULT_IS_STRICT,
  "CreateApiKeyRequest.client_request_id": REPEATS,
  "CreateApiKeyRequest.description": DESCRIBES,
  "CreateApiKeyRequest.expires_at": SPECIFIED,
  "CreateApiKeyRequest.external_id": DESCRIBES,
  "CreateApiKeyRequest.key_type": SPECIFIED,
  "CreateApiKeyRequest.metadata": DESCRIBES,
  "CreateApiKeyRequest.publishable_config": "a publishable key without it is refused",
  "CreateApiKeyRequest.rate_limit": SPECIFIED,
  "CreateFederationRuleRequest.jwks": OF_THE_ISSUER,
  "CreateFederationRuleRequest.jwks_url": OF_THE_ISSUER,
  "CreateFederationRuleRequest.ttl_seconds": "the default is the longest life of a workload's token, 900 s",
  "CreateInvitationRequest.client_request_id": REPEATS,
  "CreateInvitationRequest.role": DEFAULT_IS_STRICT,
  "CreateOrgRequest.client_org_id": REPEATS,
  "CreateTenantKeyRequest.allow_browser": DEFAULT_IS_STRICT,
  "CreateTenantKeyRequest.client_request_id": REPEATS,
  "CreateTenantKeyRequest.description": DESCRIBES,
  "CreateTenantKeyRequest.expires_at": SPECIFIED,
  "CreateTenantKeyRequest.external_id": DESCRIBES,
  "CreateTenantKeyRequest.key_type": SPECIFIED,
  "CreateTenantKeyRequest.metadata": DESCRIBES,
  "CreateTenantKeyRequest.publishable_config": "a publishable key without it is refused",
  "CreateTenantKeyRequest.rate_limit": SPECIFIED,
  "CreateWebhookRequest.client_request_id": REPEATS,
  "CreateWebhookRequest.description": DESCRIBES,
  "DeriveTokenRequest.client_request_id": REPEATS,
  "DeriveTokenRequest.ttl_seconds": "the default is 900 s, less than the most",
  "LeakReport.source": DESCRIBES,
  "LeakReport.url": DESCRIBES,
  "OidcConfig.audience_claim": DEFAULT_IS_STRICT,
  "OidcConfig.jwks_url": OF_THE_ISSUER,
  "OidcConfig.required_claims": SPECIFIED,
  "OidcConfig.user_id_claim": SPECIFIED,
  "OidcConfig.user_id_prefix": "it names users, and admits no more of them",
  "PublishableConfig.oidc": "a publishable key without it is refused",
  "RateLimit.burst_size": SPECIFIED,
  "RateLimit.per_user": SPECIFIED,
  "RateLimit.requests_per_hour": SPECIFIED,
  "RateLimit.requests_per_minute": SPECIFIED,
  "RateLimit.unlimited": "it is of responses",
  "RateLimit.warning": "it is of responses",
  "RedeliverWebhookEventsRequest.page_token": "it names the next page",
  "RedeliverWebhookEventsRequest.since": "without it, event_id is required",
  "RemoveMemberRequest.issuer": OWN_ISSUER,
  "RotateApiKeyRequest.client_request_id": REPEATS,
  "RotateApiKeyRequest.grace_period_hours": SPECIFIED,
  "RotateTenantKeyRequest.client_request_id": REPEATS,
  "RotateTenantKeyRequest.grace_period_hours": SPECIFIED,
  "RotateWebhookSecretRequest.client_request_id": REPEATS,
  "SendMessageRequest.client_message_id": REPEATS,
  "SetMemberRoleRequest.issuer": OWN_ISSUER,
  "SuspendTenantRequest.reason": DESCRIBES,
  "UpdateApiKeyRequest.allow_browser": MASKED,
  "UpdateApiKeyRequest.description": MASKED,
  "UpdateApiKeyRequest.expires_at": MASKED,
  "UpdateApiKeyRequest.external_id": MASKED,
  "UpdateApiKeyRequest.metadata": MASKED,
  "UpdateApiKeyRequest.name": MASKED,
  "UpdateApiKeyRequest.permissions": MASKED,
  "UpdateApiKeyRequest.rate_limit": MASKED,
  "UpdateFederationRuleRequest.audience": MASKED,
  "UpdateFederationRuleRequest.claim_rules": MASKED,
  "UpdateFederationRuleRequest.issuer": MASKED,
  "UpdateFederationRuleRequest.jwks": MASKED,
  "UpdateFederationRuleRequest.jwks_url": MASKED,
  "UpdateFederationRuleRequest.key_id": MASKED,
  "UpdateFederationRuleRequest.name": MASKED,
  "UpdateFederationRuleRequest.scopes": MASKED,
  "UpdateFederationRuleRequest.status": MASKED,
  "UpdateFederationRuleRequest.ttl_seconds": MASKED,
  "UpdateTenantKeyRequest.allow_browser": MASKED,
  "UpdateTenantKeyRequest.description": MASKED,
  "UpdateTenantKeyRequest.expires_at": MASKED,
  "UpdateTenantKeyRequest.external_id": MASKED,
  "UpdateTenantKeyRequest.metadata": MASKED,
  "UpdateTenantKeyRequest.name": MASKED,
  "UpdateTenantKeyRequest.permissions": MASKED,
  "UpdateTenantKeyRequest.rate_limit": MASKED,
  "UpdateWebhookRequest.description": MASKED,
  "UpdateWebhookRequest.events": MASKED,
  "UpdateWebhookRequest.status": MASKED,
  "UpdateWebhookRequest.url": MASKED,
  "UserRateLimit.burst_size": SPECIFIED,
  "UserRateLimit.requests_per_hour": SPECIFIED,
  "UserRateLimit.requests_per_minute": SPECIFIED,
  "VerifyRequest.cost": "the default is the least cost",
  "VerifyRequest.explain": "without it, the caller itself is verified",
  "VerifyRequest.key_id": "it is for explain alone, which requires it",
  "VerifyRequest.tenant_optional": DEFAULT_IS_STRICT,
};
