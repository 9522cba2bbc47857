import type { Message } from "@bufbuild/protobuf";
import type { UserRateLimit } from "./gen/latchkey/v1/api_key_pb.ts";
import type { UpdateApiKeyRequest } from "./gen/latchkey/v1/api_key_service_pb.ts";
import type { UpdateFederationRuleRequest } from "./gen/latchkey/v1/federation_service_pb.ts";
import type { UpdateWebhookRequest } from "./gen/latchkey/v1/webhook_service_pb.ts";

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

/** The action of an audit event. A test compares the values with the protos. */
export type AuditAction =
  | "access.denied"
  | "api_key.created"
  | "api_key.disabled"
  | "api_key.enabled"
  | "api_key.exported"
  | "api_key.import_called"
  | "api_key.imported"
  | "api_key.leaked"
  | "api_key.policy_set"
  | "api_key.revoked"
  | "api_key.rotated"
  | "api_key.updated"
  | "change.lost"
  | "change.restored"
  | "federation.rule_created"
  | "federation.rule_deleted"
  | "federation.rule_updated"
  | "key_format.created"
  | "key_format.deleted"
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

/** An event that a webhook can be for. A test compares them with those of the service. */
export type WebhookEventName =
  | "api_key.created"
  | "api_key.disabled"
  | "api_key.enabled"
  | "api_key.expired"
  | "api_key.expiring"
  | "api_key.leaked"
  | "api_key.rate_limited"
  | "api_key.revoked"
  | "api_key.rotated"
  | "api_key.unused"
  | "api_key.updated"
  | "key_policy.updated"
  | "org.invitation.accepted"
  | "org.invitation.created"
  | "org.member.added"
  | "org.member.removed"
  | "org.member.role_changed"
  | "run.completed"
  | "run.failed"
  | "tenant.resumed"
  | "tenant.suspended"
  | "user.erased";

/** What `updateMask` of a key can name. */
export type KeyMember =
  | Maskable<UpdateApiKeyRequest, "keyId">
  | "rate_limit.per_user"
  | `rate_limit.${"" | "per_user."}${Maskable<UserRateLimit>}`;

/** What `updateMask` of a webhook can name. */
export type WebhookMember = Maskable<UpdateWebhookRequest, "webhookId">;

/** What `updateMask` of a federation rule can name. */
export type FederationRuleMember = Maskable<UpdateFederationRuleRequest, "ruleId">;

/** The members of a message but the mask and the record's id, in snake case. */
type Maskable<Request extends Message, Id extends keyof Request = never> = SnakeCase<
  Exclude<keyof Request, keyof Message | "updateMask" | Id> & string
>;

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** What `updateMask` of each request can name, by the request's type. */
export interface MaskMembers {
  readonly "latchkey.v1.UpdateApiKeyRequest": KeyMember;
  readonly "latchkey.v1.UpdateTenantKeyRequest": KeyMember;
  readonly "latchkey.v1.UpdateFederationRuleRequest": FederationRuleMember;
  readonly "latchkey.v1.UpdateWebhookRequest": WebhookMember;
}

/** Texts of requests whose values editors complete, by the names of their members. */
export interface CompletedTexts {
  readonly action: AuditAction | Other;
  readonly scope: ScopeName;
  readonly type: WebhookEventName | Other;
}

/** The same of lists. */
export interface CompletedLists {
  readonly events: WebhookEventName | "*" | Other;
  readonly permissions: PermissionName;
  readonly scopes: ScopeName;
}
