/**
 * The scopes of every Latchkey, in the order in which it lists them. A test compares them with those of the service
 * (`src/domain/access/catalogue.ts`).
 */
export const BUILT_IN_SCOPES = [
  "conversations:read",
  "conversations:write",
  "plans:read",
  "plans:write",
  "users:read",
  "users:impersonate",
  "billing:read",
  "billing:write",
  "invoices:read",
  "invoices:write",
  "api_keys:read",
  "api_keys:write",
  "webhooks:read",
  "webhooks:write",
  "tenants:read",
  "tenants:write",
  "system:read",
  "system:write",
  "org:read",
  "org:write",
  "audit:read",
  "usage:read",
  "api_keys:admin",
] as const;

/** A scope of every Latchkey. */
export type BuiltInScope = (typeof BUILT_IN_SCOPES)[number];

/** Any text, beside the ones that editors complete. */
export type Other = string & {};

/** A scope: one of every Latchkey, or one of the platform's own. */
export type ScopeName = BuiltInScope | Other;

/** What a key may do: a scope, all scopes of a domain, or all scopes. */
export type PermissionName = BuiltInScope | `${DomainOf<BuiltInScope>}:*` | "*" | Other;

type DomainOf<Scope extends string> = Scope extends `${infer Domain}:${string}` ? Domain : never;

/** What an audit event is about. A test compares them with those of the protos. */
export type AuditAction =
  | "access.denied"
  | "api_key.created"
  | "api_key.disabled"
  | "api_key.enabled"
  | "api_key.leaked"
  | "api_key.policy_set"
  | "api_key.revoked"
  | "api_key.rotated"
  | "api_key.updated"
  | "federation.rule_created"
  | "federation.rule_deleted"
  | "federation.rule_updated"
  | "org.created"
  | "org.invitation.accepted"
  | "org.invitation.created"
  | "org.invitation.revoked"
  | "org.member.removed"
  | "org.member.role_set"
  | "org.switched"
  | "org.updated"
  | "tenant.erased"
  | "tenant.resumed"
  | "tenant.suspended"
  | "token.derived"
  | "token.revoked"
  | "user.erased"
  | "user.impersonated"
  | "webhook.created"
  | "webhook.deleted"
  | "webhook.disabled"
  | "webhook.secret_rotated"
  | "webhook.updated";

/** What `updateMask` of a key can name. A test compares them with what the service changes. */
export type KeyMember =
  | "name"
  | "description"
  | "permissions"
  | "rate_limit"
  | "rate_limit.requests_per_minute"
  | "rate_limit.requests_per_hour"
  | "rate_limit.burst_size"
  | "rate_limit.per_user"
  | "rate_limit.per_user.requests_per_minute"
  | "rate_limit.per_user.requests_per_hour"
  | "rate_limit.per_user.burst_size"
  | "expires_at"
  | "metadata"
  | "external_id"
  | "allowed_ips"
  | "allowed_origins"
  | "allow_browser";

/** Texts of requests whose values editors complete, by the names of their members. */
export interface CompletedTexts {
  readonly action: AuditAction | Other;
  readonly scope: ScopeName;
}

/** The same of lists. */
export interface CompletedLists {
  readonly permissions: PermissionName;
  readonly scopes: ScopeName;
}
