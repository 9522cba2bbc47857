import type { ColumnType, GeneratedAlways, JSONColumnType } from "kysely";
import type { CheckName } from "../../domain/access/checks.ts";
import type { CallerKind } from "../../domain/access/principal.ts";
import type { Changes } from "../../domain/audit/changes.ts";
import type { Act, Actor, Impersonation, Refusal } from "../../domain/audit/event.ts";
import type { FinishReason, Role, RunStatus } from "../../domain/conversations/conversation.ts";
import type { KeyType, OidcConfig } from "../../domain/credentials/key.ts";
import type { Metadata } from "../../domain/credentials/metadata.ts";
import type { ErasureTarget, Removed } from "../../domain/erasures/erasure.ts";
import type { CheckedFormat } from "../../domain/key-formats/checked-format.ts";
import type { KeyPolicy } from "../../domain/keys/key-policy.ts";
import type { UseFailure } from "../../domain/usage/uses.ts";
import type { EventSource } from "../../domain/webhooks/event-source.ts";
import type { EventType } from "../../domain/webhooks/event-types.ts";
import type { LifecycleKind } from "../../domain/webhooks/key-lifecycle.ts";
import type { NamedUser } from "../../domain/webhooks/outbox.ts";
import type { DeliveryStatus, DisabledReason, WebhookStatus } from "../../domain/webhooks/webhook.ts";
import type { Json } from "./json-column.ts";
import type { AccessTokenTable, FederationRuleTable, SigningKeyTable } from "./token-tables.ts";

/**
 * The types of the tables that queries use; `migrations/` creates the tables. All instants have the millisecond
 * precision of `Date`: with PostgreSQL's microseconds, a value would change when it is read and written back.
 */
export interface Schema {
  api_keys: ApiKeyTable;
  key_policies: KeyPolicyTable;
  key_formats: KeyFormatTable;
  key_requests: KeyRequestTable;
  key_usage: KeyUsageTable;
  tenant_suspensions: TenantSuspensionTable;
  orgs: OrgTable;
  org_members: OrgMemberTable;
  org_requests: OrgRequestTable;
  org_invitations: OrgInvitationTable;
  threads: ThreadTable;
  runs: RunTable;
  sent_messages: SentMessageTable;
  messages: MessageTable;
  audit_events: AuditEventTable;
  impersonation_hours: ImpersonationHourTable;
  recent_requests: RecentRequestTable;
  erasures: ErasureTable;
  webhooks: WebhookTable;
  webhook_events: WebhookEventTable;
  webhook_deliveries: WebhookDeliveryTable;
  key_lifecycle_events: KeyLifecycleEventTable;
  key_lifecycle_passes: KeyLifecyclePassTable;
  signing_keys: SigningKeyTable;
  access_tokens: AccessTokenTable;
  federation_rules: FederationRuleTable;
  used_once: { hash: Uint8Array; until: Date };
  /** The rest is used by statements of `replica-rows.ts`. */
  replicas: { replica_id: string; beats: number };
  key_marks: { mark_id: GeneratedAlways<string> };
  usage_questions: { question_id: GeneratedAlways<string> };
}

interface ApiKeyTable {
  key_id: string;
  tenant_id: string;
  /** Order of creation, also among keys created in one millisecond. */
  seq: GeneratedAlways<number>;
  secret_hash: Uint8Array;
  secret_prefix: string;
  type: KeyType;
  name: string;
  description: string;
  permissions: Json<readonly string[]>;
  requests_per_minute: number;
  requests_per_hour: number;
  burst_size: number;
  oidc: Json<OidcConfig> | null;
  expires_at: Date | null;
  created_at: Date;
  updated_at: Date;
  disabled_at: Date | null;
  revoked_at: Date | null;
  rotated_to: string | null;
  rotated_from: string | null;
  /** `json`, which keeps the text: `jsonb` would write 1e300 with three hundred digits, and so grow beyond its limit. */
  metadata: Json<Metadata> | null;
  external_id: string | null;
  /** The limit of each user; only zeros mean no limit. */
  user_requests_per_minute: number;
  user_requests_per_hour: number;
  user_burst_size: number;
  /** Null: the key's own. */
  budget_id: string | null;
  allowed_ips: Json<readonly string[]>;
  allowed_origins: Json<readonly string[]>;
  allow_browser: boolean;
  /** Null: erased. */
  created_by: JSONColumnType<Actor, string | undefined, string> | null;
  revoked_by: ColumnType<Actor | null, never, string | null>;
  leaked_at: ColumnType<Date | null, never, Date | null>;
  leak_url: ColumnType<string | null, never, string | null>;
  leak_source: ColumnType<string | null, never, string | null>;
  /** Null: the key was made here. Empty: it was made by another deployment of this service. */
  key_format: ColumnType<string | null, string | undefined, never>;
  /** The part of an imported key that was not hashed. Null: the whole key was, or the key was made here. */
  public_part: ColumnType<string | null, string | null | undefined, never>;
  /** The digest that the other system had stored, for an export. Null: it is `secret_hash`. */
  imported_digest: ColumnType<Uint8Array | null, Uint8Array | null | undefined, never>;
}

interface KeyPolicyTable {
  tenant_id: string;
  /** Members that a version does not know are ignored; those that are missing have no rule. */
  policy: JSONColumnType<Partial<KeyPolicy>, string, string>;
}

interface KeyFormatTable {
  key_format: string;
  /** Order of creation. */
  seq: GeneratedAlways<number>;
  format: JSONColumnType<Omit<CheckedFormat, "name">, string, never>;
  created_at: ColumnType<Date, Date | undefined, never>;
}

interface KeyRequestTable {
  request_hash: Uint8Array;
  content_hash: Uint8Array;
  /** The id that the call has made: of the first release a key, so that replicas of that one read the column, too. */
  key_id: string;
  made_at: Date;
}

interface KeyUsageTable {
  key_id: string;
  total: number;
  successful: number;
  failed: number;
  last_used_at: Date | null;
}

interface TenantSuspensionTable {
  tenant_id: string;
  reason: string;
  suspended_at: GeneratedAlways<Date>;
}

interface OrgTable {
  org_id: string;
  tenant_id: string;
  name: string;
  created_at: Date;
}

interface OrgMemberTable {
  org_id: string;
  user_id: string;
  issuer: string;
  role: string;
  email: string;
  created_at: Date;
  current_at: ColumnType<Date | null, Date | undefined, Date | null>;
  removed_at: ColumnType<Date | null, never, Date | null>;
}

interface OrgRequestTable {
  issuer: string;
  user_id: string;
  client_org_id: string;
  org_id: string;
}

interface OrgInvitationTable {
  invitation_id: string;
  seq: GeneratedAlways<number>;
  org_id: string;
  email: string;
  role: string;
  token_hash: Uint8Array;
  created_at: Date;
  expires_at: Date;
  accepted_at: ColumnType<Date | null, never, Date | null>;
  revoked_at: ColumnType<Date | null, never, Date | null>;
  /** Null: the maker was erased. */
  maker_issuer: string | null;
  maker_id: string | null;
  maker_role: string | null;
  ended_at: ColumnType<Date | null, never, Date | null>;
}

interface ThreadTable {
  thread_id: string;
  tenant_id: string;
  user_id: string;
  conversation_key: string;
  message_count: number;
  created_at: Date;
  updated_at: Date;
}

interface RunTable {
  run_id: string;
  thread_id: string;
  /** Order of the runs of a conversation, and so of its messages. */
  seq: GeneratedAlways<number>;
  status: RunStatus;
  error: ColumnType<string, string | undefined>;
  /** How often it was claimed, without handovers. */
  attempts: ColumnType<number, number | undefined>;
  /** How many attempts ended in a failure of the assistant. */
  failures: ColumnType<number, number | undefined>;
  lease_token: string | null;
  lease_until: Date | null;
  not_before: Date;
  /** The first claim that no dead or stopped worker has cut off. Null: none was made, or by an earlier version. */
  started_at: Date | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  finish_reason: FinishReason | null;
  created_at: Date;
  updated_at: Date;
}

interface SentMessageTable {
  tenant_id: string;
  user_id: string;
  client_message_id: string;
  run_id: string;
}

interface AuditEventTable {
  /** Order of the events of one millisecond. */
  seq: GeneratedAlways<number>;
  event_id: string;
  at: GeneratedAlways<Date>;
  tenant_id: string | null;
  actor: Json<Actor>;
  /** `actorId` of the actor. */
  actor_id: string;
  action: string;
  target_id: string;
  changes: Json<Changes>;
  refusal: Json<Refusal> | null;
  impersonation: JSONColumnType<Impersonation, string | undefined, string> | null;
  address: string | null;
  request_id: string;
  trace_id: string | null;
}

/** Counts that are not an event yet. */
interface ImpersonationHourTable {
  hour: Date;
  tenant_id: string;
  key_id: string;
  /** Empty: several users, whose names were not kept. */
  user_id: string;
  calls: number;
  address: string | null;
  request_id: string;
  trace_id: string | null;
}

/** Empty texts: unknown, or none. */
interface RecentRequestTable {
  at: Date;
  /** Order of the requests of one millisecond. */
  seq: GeneratedAlways<number>;
  tenant_id: string;
  key_id: string;
  token_id: string | null;
  /** Whether `reason` is empty. */
  is_admitted: boolean;
  request_id: string;
  caller: CallerKind | null;
  user_id: string | null;
  address: string | null;
  rpc: string;
  scope: string;
  reason: UseFailure | "";
  /** Null: none failed, or a former release stored the request. */
  failed_check: CheckName | null;
  message: string;
}

/** Erasures that are not finished. */
interface ErasureTable {
  erasure_id: string;
  target: Uint8Array;
  kind: ErasureTarget["kind"];
  tenant_id: string;
  /** Empty for a tenant. */
  user_id: string;
  /** Empty: of every issuer. */
  issuer: string;
  act: Json<Act>;
  removed: JSONColumnType<Removed, string | undefined, string>;
  started_at: GeneratedAlways<Date>;
}

interface WebhookTable {
  webhook_id: string;
  tenant_id: string;
  /** Order of creation. */
  seq: GeneratedAlways<number>;
  url: string;
  /** `["*"]`: all. */
  events: Json<readonly EventType[] | readonly ["*"]>;
  description: string;
  status: WebhookStatus;
  /** Null: it is enabled. */
  disabled_reason: DisabledReason | null;
  secret: string;
  /** Signs until `previous_secret_until`, too. */
  previous_secret: string | null;
  previous_secret_until: Date | null;
  /** Earlier secrets that still sign. `untilMs`: in ms since the epoch. */
  former_secrets: JSONColumnType<readonly FormerSecret[], string | undefined, string>;
  /** Null: the last attempt succeeded, or there was none. */
  failing_since: Date | null;
  created_at: ColumnType<Date, Date | undefined, never>;
  /** Null: erased. */
  created_by: Json<Actor> | null;
}

export interface FormerSecret {
  readonly secret: string;
  readonly untilMs: number;
}

interface WebhookEventTable {
  /** Order of the events. */
  seq: GeneratedAlways<number>;
  /** That of the audit event, or `evt_...` without one. */
  event_id: string;
  tenant_id: string;
  /** Until it is prepared, the action of the audit event, if there is one. */
  type: string;
  /** Its subject: the identifier of a key, a user, an invitation, a run or a tenant. */
  subject: string;
  at: ColumnType<Date, Date | undefined, never>;
  /** What the transaction of the change knows. */
  source: JSONColumnType<EventSource, string, string>;
  /** The body, the same on every attempt. Null: not prepared yet. */
  body: string | null;
  /** Those that the body names. */
  users: JSONColumnType<readonly NamedUser[], string | undefined, string>;
  prepared_at: Date | null;
  lease_token: string | null;
  lease_until: Date | null;
}

interface WebhookDeliveryTable {
  delivery_id: string;
  /** Order of the deliveries of one millisecond. */
  seq: GeneratedAlways<number>;
  event_id: string;
  webhook_id: string;
  tenant_id: string;
  /** Of the event. */
  type: EventType;
  status: ColumnType<DeliveryStatus, DeliveryStatus | undefined, DeliveryStatus>;
  /** Since it was created or redelivered. */
  attempts: ColumnType<number, number | undefined, number>;
  created_at: ColumnType<Date, Date | undefined, never>;
  /** Null: it is not tried again. */
  next_at: Date | null;
  lease_token: string | null;
  lease_until: Date | null;
  last_attempt_at: Date | null;
  /** Null: no answer. */
  last_status: number | null;
  last_duration_ms: number | null;
  last_error: string | null;
  /** Its first 1,024 bytes. */
  last_answer: string | null;
  delivered_at: Date | null;
}

interface KeyLifecycleEventTable {
  key_id: string;
  /** Such as `expiring_30`. */
  kind: string;
  /** The instant that it was about. */
  due: Date;
  at: ColumnType<Date, Date | undefined, never>;
}

interface KeyLifecyclePassTable {
  kind: LifecycleKind;
  next_at: Date;
  done_at: Date;
}

interface MessageTable {
  message_id: string;
  run_id: string;
  role: Role;
  parts: Json<readonly string[]>;
  /** Length of `parts` as printed. */
  bytes: number;
  created_at: Date;
}
