import { type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
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

/** The members that the mask of an update can name: all but the mask itself and those that identify the record. */
export function maskMembers({ fields }: DescMessage): string[] {
  return fields.filter((field) => emptinessOf(field) !== "required").map(({ name }) => name);
}

const SPECIFIED = "the specification has null and 0 as no value";
const DESCRIBES = "it describes, and decides nothing";
const OF_THE_ISSUER = "without it, the keys that the issuer itself publishes";
const DEFAULT_IS_STRICT = "the default is the strictest value";
const REPEATS = "it makes a repeated call harmless; without it, a call is a new one";
const OWN_TENANT = "it is the caller's own, and the operator must name one";
const OWN_ISSUER = "the default is one issuer, the caller's own";

/** The optional members of requests that change something and are not declared as narrowing, each with the reason; the rest is derived. */
const REASONS: Readonly<Record<string, string>> = {
  "CheckOidcRequest.key_id": "it is what is checked, where no oidc is given",
  "CheckOidcRequest.oidc": "it is what is checked, in place of a key's",
  "CheckOidcRequest.token": "it is what is checked besides; without it less is reported",
  "CreateApiKeyRequest.allow_browser": DEFAULT_IS_STRICT,
  "CreateApiKeyRequest.client_request_id": REPEATS,
  "CreateApiKeyRequest.description": DESCRIBES,
  "CreateApiKeyRequest.expires_at": SPECIFIED,
  "CreateApiKeyRequest.external_id": DESCRIBES,
  "CreateApiKeyRequest.key_prefix": DESCRIBES,
  "CreateApiKeyRequest.key_type": SPECIFIED,
  "CreateApiKeyRequest.metadata": DESCRIBES,
  "CreateApiKeyRequest.publishable_config": "a publishable key without it is refused",
  "CreateApiKeyRequest.rate_limit": SPECIFIED,
  "CreateFederationRuleRequest.jwks": OF_THE_ISSUER,
  "CreateFederationRuleRequest.jwks_url": OF_THE_ISSUER,
  "CreateFederationRuleRequest.ttl_seconds": "the default is the longest life of a workload's token, 900 s",
  "CreateInvitationRequest.client_request_id": REPEATS,
  "CreateInvitationRequest.role": DEFAULT_IS_STRICT,
  "CreateKeyFormatRequest.bearer": DEFAULT_IS_STRICT,
  "CreateKeyFormatRequest.case": DEFAULT_IS_STRICT,
  "CreateKeyFormatRequest.hashed_part": DEFAULT_IS_STRICT,
  "CreateKeyFormatRequest.pepper": "it is required, or refused, by the algorithm",
  "CreateKeyFormatRequest.prefix": "formats that share a text are refused",
  "CreateKeyFormatRequest.separator": "it is required, or refused, by hashed_part",
  "CreateKeyFormatRequest.tenants": DEFAULT_IS_STRICT,
  "CreateOrgRequest.client_org_id": REPEATS,
  "CreateWebhookRequest.client_request_id": REPEATS,
  "CreateWebhookRequest.description": DESCRIBES,
  "DeriveTokenRequest.client_request_id": REPEATS,
  "DeriveTokenRequest.ttl_seconds": "the default is 900 s, less than the most",
  "ExportKeysRequest.page_token": "it names a page",
  "ExportKeysRequest.per_page": "it is the size of a page",
  "ImportedRow.allow_browser": DEFAULT_IS_STRICT,
  "ImportedRow.created_at": DESCRIBES,
  "ImportedRow.description": DESCRIBES,
  "ImportedRow.expires_at": SPECIFIED,
  "ImportedRow.external_id": DESCRIBES,
  "ImportedRow.hash": "a row without it has key",
  "ImportedRow.key": "a row without it has hash",
  "ImportedRow.key_format": "without it, that of the key",
  "ImportedRow.key_prefix": DESCRIBES,
  "ImportedRow.key_type": "it must be that of the key, whose beginning says it",
  "ImportedRow.metadata": DESCRIBES,
  "ImportedRow.public_part": "it is required, or refused, by the key format",
  "ImportedRow.publishable_config": "a publishable key without it is denied",
  "ImportedRow.rate_limit": SPECIFIED,
  "ImportedRow.tenant_id": OWN_TENANT,
  "KeyHash.algorithm": "without it, that of the key format; another one is refused",
  "KeyHash.pepper": "without it, that of the key format; another one is refused",
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
  "RotateWebhookSecretRequest.client_request_id": REPEATS,
  "SendMessageRequest.client_message_id": REPEATS,
  "SetMemberRoleRequest.issuer": OWN_ISSUER,
  "SuspendTenantRequest.reason": DESCRIBES,
  "UserRateLimit.burst_size": SPECIFIED,
  "UserRateLimit.requests_per_hour": SPECIFIED,
  "UserRateLimit.requests_per_minute": SPECIFIED,
  "VerifyRequest.cost": "the default is the least cost",
  "VerifyRequest.explain": "without it, the caller itself is verified",
  "VerifyRequest.key_id": "it is for explain alone, which requires it",
  "VerifyRequest.tenant_optional": DEFAULT_IS_STRICT,
};

/** The operator's requests, whose members are those of a tenant's. */
const OPERATORS: Readonly<Record<string, string>> = {
  CreateApiKeyRequest: "CreateTenantKeyRequest",
  RotateApiKeyRequest: "RotateTenantKeyRequest",
};

/** The reviewed members: those with a reason, the same of the operator, and what an update changes only where its mask says so. */
export function reviewed(): string[] {
  const names = Object.keys(REASONS).flatMap((name) => [name, ...operatorsOf(name)]);
  const masked = requestMembers().filter(({ method, fields, field }) => {
    const isMasked = fields.length === 1 && "updateMask" in method.input.field && emptinessOf(field) === "other";
    return isMasked && !narrowsNew(field);
  });
  return [...names, ...masked.map(({ field }) => qualifiedName(field))];
}

/** The member of the operator's request, if there is one. */
export function operatorsOf(name: string): string[] {
  const [request = "", member] = name.split(".");
  return OPERATORS[request] === undefined ? [] : [`${OPERATORS[request]}.${member}`];
}

/** Whether the request that creates the record says that the member narrows; the update must say so, too. */
function narrowsNew({ name, parent }: DescField): boolean {
  const creator = parent.name.replace(/^Update/, "Create");
  return membersThat("narrows").some(({ field }) => qualifiedName(field) === `${creator}.${name}`);
}
