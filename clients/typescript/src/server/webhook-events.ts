/** In every event of a tenant. */
interface TenantData {
  readonly tenant_id: string;
  /** Grows from each event of a record to the next: of two events of a key, the one with the higher number is later. */
  readonly sequence: number;
}

/** The caller who made or revoked a key. */
export interface WebhookActor {
  readonly user_id?: string;
  readonly key_id?: string;
  readonly issuer?: string;
  readonly [member: string]: unknown;
}

/** A key as `get` returns it, when the event was prepared: a later change may be in it. A removed key has only its id. */
export interface ApiKeyData extends TenantData {
  readonly key_id: string;
  readonly key_prefix?: string;
  readonly name?: string;
  readonly description?: string;
  readonly keyType?: string;
  readonly permissions?: readonly string[];
  readonly rate_limit?: Readonly<Record<string, unknown>> | null;
  /** In RFC 3339, like all times. */
  readonly expires_at?: string;
  readonly created_at?: string;
  readonly publishableConfig?: Readonly<Record<string, unknown>>;
  readonly status?: string;
  readonly updated_at?: string;
  readonly last_used_at?: string;
  readonly revoked_at?: string;
  readonly rotated_to?: string;
  readonly rotated_from?: string;
  readonly unknown_permissions?: readonly string[];
  readonly tenant_suspended?: boolean;
  readonly created_by?: WebhookActor;
  readonly revoked_by?: WebhookActor;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly external_id?: string;
  readonly allowed_ips?: readonly string[];
  readonly allowed_origins?: readonly string[];
  readonly allow_browser?: boolean;
  readonly leaked_at?: string;
  readonly leak_url?: string;
  readonly leak_source?: string;
  readonly imported?: boolean;
  readonly key_format?: string;
}

/** The rules for the tenant's keys. */
export interface KeyPolicyData extends TenantData {
  readonly max_lifetime_hours: number;
  readonly expiry_required: boolean;
  readonly max_rate_limit?: Readonly<Record<string, unknown>> | null;
  readonly permissions: readonly string[];
  readonly allowed_ips_required: boolean;
  readonly max_keys: number;
}

export interface MemberData extends TenantData {
  readonly user_id: string;
  /** Empty where it is not known. */
  readonly issuer: string;
  readonly role: string;
  readonly previous_role?: string;
}

export interface InvitationData extends TenantData {
  readonly invitation_id: string;
  readonly role: string;
}

export interface TenantStateData extends TenantData {
  readonly suspended: boolean;
}

export interface UserErasedData extends TenantData {
  readonly user_id: string;
  /** How many records of each kind were removed. */
  readonly removed: Readonly<Record<string, unknown>>;
}

/** A run, without any text of its conversation. */
export interface RunData extends TenantData {
  readonly runId: string;
  readonly status: string;
  /** Empty unless it failed. */
  readonly error: string;
  readonly token_usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
  readonly thread_id: string;
  readonly conversation_key: string;
  readonly user_id: string;
}

type KeyChange = "created" | "updated" | "rotated" | "disabled" | "enabled" | "revoked" | "leaked" | "expired";

/** The `data` of each type of event. */
export interface WebhookData extends Record<`api_key.${KeyChange}`, ApiKeyData> {
  /** 30, 14, 7 and 1 days before the key expires. */
  "api_key.expiring": ApiKeyData & { readonly expires_in_days: number };
  /** Once, after 90 days without a use. */
  "api_key.unused": ApiKeyData & { readonly unused_since: string };
  /** At most once an hour for a key. */
  "api_key.rate_limited": ApiKeyData & { readonly limited_in_hour: string };
  "key_policy.updated": KeyPolicyData;
  "org.member.added": MemberData;
  "org.member.role_changed": MemberData;
  "org.member.removed": MemberData;
  "org.invitation.created": InvitationData;
  "org.invitation.accepted": InvitationData;
  "tenant.suspended": TenantStateData;
  "tenant.resumed": TenantStateData;
  "user.erased": UserErasedData;
  "run.completed": RunData;
  "run.failed": RunData;
  /** Of `webhooks.testWebhook`; it belongs to no change. */
  "webhook.test": { readonly webhook_id: string };
}

export type WebhookEventType = keyof WebhookData;

/** An event of one type, or of one of several. */
export type WebhookEventOf<Type extends WebhookEventType> = Type extends WebhookEventType
  ? {
      /** The header `webhook-id`: the same on every attempt, so store it to drop repetitions. */
      readonly id: string;
      readonly type: Type;
      /** When it happened. */
      readonly timestamp: Date;
      readonly data: WebhookData[Type];
    }
  : never;

/**
 * An event: `switch (event.type)` narrows `event.data`. A later service may send types that are not listed here: have a `default`
 * that ignores them.
 */
export type WebhookEvent = WebhookEventOf<WebhookEventType>;
