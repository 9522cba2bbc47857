import type { Tone } from "../output/column.ts";

/**
 * The columns of a message's table in their order, and after `|` what only a record has under another name. `~`: the cell may be
 * shortened; `name=path`: of a member of another name, or of a member's member. A record has all other members, too, in their order.
 *
 * A message that is not here has all of its members as columns.
 */
export const TABLES: Readonly<Record<string, string>> = {
  AccessToken: "token_id key_id scopes~ user_id~ expires_at revoked_at rule_id",
  ApiKey:
    "key_id name~ key_prefix status permissions~ expires_at last_used_at | type=key_type unknown_permissions=unknown_permissions.names issuer=publishable_config.oidc.issuer jwks_url=publishable_config.oidc.jwks_url audience=publishable_config.oidc.audience",
  AuditEvent: "at actor~ action target_id changes~ address",
  CheckOidcStep: "check=name passed detail~",
  Erasure: "erasure_id tenant_id user_id finished removed~",
  ExplanationStep: "check=name passed detail~",
  FederationRule: "rule_id name~ issuer~ key_id scopes~ status",
  FederationStep: "check=name passed detail~",
  Invitation: "invitation_id email~ role status expires_at",
  KeyFormat: "key_format prefix length_min length_max alphabet algorithm bearer problem~",
  Member: "user_id role email~ issuer~ created_at",
  Membership: "org_id tenant_id name~ role current",
  Organization: "org_id tenant_id name~ created_at",
  RecentRequest: "at request_id key_id user_id~ address rpc~ scope verdict reason",
  RequestExplanation:
    "tenant_id=request.tenant_id caller=request.caller at=request.at request_id=request.request_id key_id=request.key_id user_id=request.user_id address=request.address rpc=request.rpc scope=request.scope verdict=request.verdict reason=request.reason",
  Scope: "scope=name publishable description~",
  Tenant: "tenant_id name~ key_count suspended_at suspension_reason~",
  TopKey: "key_id name~ total=total_verifications successful=successful_verifications failed=failed_verifications",
  UsageStep: "from successful denied~",
  VerifyResponse: "caller tenant_id key_id user_id permissions",
  Webhook: "webhook_id url~ events~ status disabled_reason failing_since",
  WebhookDelivery: "created_at event_id webhook_id type status attempts last_status last_error~ next_attempt_at",
};

/** Members without a column: they are in the JSON, or are said in another way. Secrets have none either. */
export const HIDDEN: ReadonlySet<string> = new Set([
  "allowed",
  "already_created",
  "body",
  "denial_reason",
  "expected",
  "former_claim_rules",
  "former_jwks_url",
  "found",
]);

/** Numbers that are 0 where the value is unknown. */
export const EMPTY_AT_ZERO: ReadonlySet<string> = new Set(["WebhookDelivery.last_status", "WebhookTest.status"]);

const STATES: Readonly<Record<string, Tone>> = {
  active: "good",
  enabled: "good",
  pending: "good",
  delivered: "good",
  admitted: "good",
  disabled: "bad",
  revoked: "bad",
  failed: "bad",
  denied: "bad",
  expired: "faint",
  ended: "faint",
  accepted: "faint",
};
const GOOD_OR_BAD: Readonly<Record<string, Tone>> = { yes: "good", no: "bad" };

/** How a column is coloured: by its text, or whatever it has. */
export const TONES: Readonly<Record<string, Readonly<Record<string, Tone>> | Tone>> = {
  current: { yes: "good" },
  delivered: GOOD_OR_BAD,
  denied: "bad",
  passed: GOOD_OR_BAD,
  status: STATES,
  suspended_at: "bad",
  tenant_suspended: { yes: "bad" },
  verdict: STATES,
};
