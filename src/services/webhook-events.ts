import { create, type JsonObject, toJson } from "@bufbuild/protobuf";
import { ApiKeySchema } from "../../gen/latchkey/v1/api_key_pb.ts";
import { RunSchema } from "../../gen/latchkey/v1/conversation_pb.ts";
import { KeyPolicySchema } from "../../gen/latchkey/v1/key_policy_service_pb.ts";
import type { Catalogue } from "../domain/access/catalogue.ts";
import type { Changes } from "../domain/audit/changes.ts";
import type { Actor } from "../domain/audit/event.ts";
import { FINISH_REASONS } from "../domain/conversations/conversation.ts";
import type { KeyDetails } from "../domain/keys/key-details.ts";
import type { KeyStore } from "../domain/keys/key-store.ts";
import { getPolicy, type SetPolicyContext } from "../domain/keys/set-policy.ts";
import type { Memberships } from "../domain/orgs/org-store.ts";
import type { Clock } from "../domain/vocabulary/clock.ts";
import { newId } from "../domain/vocabulary/ids.ts";
import type { Json } from "../domain/vocabulary/json.ts";
import { EVENT_TYPES, type EventType, eventTypesOf } from "../domain/webhooks/event-types.ts";
import type { NamedUser, Prepared, PreparedEvent, RawEvent } from "../domain/webhooks/outbox.ts";
import { toApiKey } from "./api-key-converter.ts";
import { toRun } from "./conversation-converter.ts";
import { toPolicy } from "./key-policy-service.ts";

export interface WebhookEventsContext extends SetPolicyContext {
  readonly keys: Pick<KeyStore, "findKey">;
  readonly orgs: Memberships;
  readonly catalogue: Catalogue;
  /** The clock for the status of keys. */
  readonly keyClock: Clock;
}

/** As responses print messages. */
const JSON_OPTIONS = { alwaysEmitImplicit: true } as const;

/** The subject of an event, and the users in it. */
interface EventData {
  readonly data: Readonly<Record<string, Json>>;
  readonly users: readonly NamedUser[];
}

/**
 * Makes the body of an event, with the record as `get` returns it now: a later change may be in it already. It holds no secret, no text
 * of a conversation and no email address.
 */
export function createPrepare(ctx: WebhookEventsContext): (raw: RawEvent) => Promise<Prepared> {
  return async (raw) => {
    const types = typesOf(raw);
    const events = await Promise.all(
      types.map(async (type, n) =>
        toEvent(raw, type, n === 0 ? raw.eventId : newId("evt"), await dataOf(ctx, type, raw)),
      ),
    );
    return { raw, events };
  };
}

function typesOf({ type, source: { action, changes = {} } }: RawEvent): readonly EventType[] {
  if (action !== undefined) return eventTypesOf(action, changes);
  return EVENT_TYPES.filter((known) => known === type);
}

function toEvent(raw: RawEvent, type: EventType, eventId: string, { data, users }: EventData): PreparedEvent {
  const { tenantId: tenant_id, sequence } = raw;
  const body = JSON.stringify({ type, timestamp: raw.at.toISOString(), data: { tenant_id, ...data, sequence } });
  return { eventId, type, body, users };
}

async function dataOf(ctx: WebhookEventsContext, type: EventType, raw: RawEvent): Promise<EventData> {
  const { source, subject } = raw;
  const { changes = {}, details = {} } = source;
  switch (type) {
    case "api_key.created":
    case "api_key.updated":
    case "api_key.rotated":
    case "api_key.disabled":
    case "api_key.enabled":
    case "api_key.revoked":
    case "api_key.leaked":
    case "api_key.expiring":
    case "api_key.expired":
    case "api_key.unused":
    case "api_key.rate_limited":
      return keyData(ctx, raw, details);
    case "key_policy.updated":
      return policyData(ctx, raw.tenantId);
    case "org.member.added":
    case "org.member.role_changed":
    case "org.member.removed":
      return memberData(ctx, raw, changes);
    case "org.invitation.created":
    case "org.invitation.accepted":
      return { data: { invitation_id: subject, role: textOf(changes.role) }, users: [] };
    case "tenant.suspended":
    case "tenant.resumed":
      return { data: { suspended: type === "tenant.suspended" }, users: [] };
    case "user.erased":
      return { data: { user_id: subject, removed: counts(changes) }, users: [] };
    case "run.completed":
    case "run.failed":
      return runData(type, subject, details);
    default:
      return type satisfies never;
  }
}

async function keyData(
  { keys, catalogue, keyClock }: WebhookEventsContext,
  { tenantId, subject }: RawEvent,
  details: Readonly<Record<string, Json>>,
): Promise<EventData> {
  const key = await keys.findKey(tenantId, subject);
  if (key === undefined) return { data: { key_id: subject, ...details }, users: [] };
  const message = create(ApiKeySchema, toApiKey(key, keyClock(), catalogue));
  return { data: { ...messageOf(toJson(ApiKeySchema, message, JSON_OPTIONS)), ...details }, users: usersOf(key) };
}

async function policyData(ctx: SetPolicyContext, tenantId: string): Promise<EventData> {
  const policy = create(KeyPolicySchema, toPolicy(await getPolicy(ctx, tenantId)));
  return { data: messageOf(toJson(KeyPolicySchema, policy, JSON_OPTIONS)), users: [] };
}

function usersOf({ createdBy, revokedBy }: KeyDetails): readonly NamedUser[] {
  return [createdBy, revokedBy].flatMap((actor: Actor | null) =>
    actor === null || actor.userId === null ? [] : [{ user_id: actor.userId, issuer: actor.issuer }],
  );
}

/** The audit trail has no email address of a member, and neither has the event. Of a new role it names only the user. */
async function memberData(
  { orgs }: WebhookEventsContext,
  { tenantId, subject }: RawEvent,
  changes: Changes,
): Promise<EventData> {
  const role = textOf(changes.role);
  const previous = changes.role?.new === undefined ? undefined : changes.role.old;
  const user_id = textOf(changes.user_id) || subject;
  const issuer = textOf(changes.issuer) || (await issuerOf(orgs, tenantId, user_id, role));
  const data = { user_id, issuer, role, ...(typeof previous === "string" && { previous_role: previous }) };
  return { data, users: [{ user_id, issuer: issuer || null }] };
}

/** Empty: two members have this id and role, or the member has gone since. */
async function issuerOf(
  orgs: WebhookEventsContext["orgs"],
  tenantId: string,
  userId: string,
  role: string,
): Promise<string> {
  const { memberships } = await orgs.findMemberships(userId);
  const [only, ...others] = memberships.filter((each) => each.tenantId === tenantId && each.role === role);
  return only === undefined || others.length > 0 ? "" : only.issuer;
}

/** The value after the change, or the last one before. */
function textOf(change: Changes[string] | undefined): string {
  const value = change?.new ?? change?.old;
  return typeof value === "string" ? value : "";
}

/** How many records of each kind were removed. */
function counts(changes: Changes): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(changes).map(([kind, { old }]) => [kind, old ?? 0]));
}

function runData(
  type: "run.completed" | "run.failed",
  runId: string,
  details: Readonly<Record<string, Json>>,
): EventData {
  const text = (name: string): string => (typeof details[name] === "string" ? details[name] : "");
  const count = (name: string): number | null => (typeof details[name] === "number" ? details[name] : null);
  const [promptTokens, completionTokens] = [count("prompt_tokens"), count("completion_tokens")];
  const run = toRun({
    runId,
    status: type === "run.completed" ? "completed" : "failed",
    error: text("error"),
    usage: promptTokens === null || completionTokens === null ? null : { promptTokens, completionTokens },
    finishReason: FINISH_REASONS.find((reason) => reason === details.finish_reason) ?? null,
  });
  const user_id = text("user_id");
  const place = { thread_id: text("thread_id"), conversation_key: text("conversation_key"), user_id };
  return {
    data: { ...messageOf(toJson(RunSchema, create(RunSchema, run), JSON_OPTIONS)), ...place },
    users: user_id === "" ? [] : [{ user_id, issuer: null }],
  };
}

/** The JSON of a message, which is an object. */
function messageOf(json: ReturnType<typeof toJson>): JsonObject {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw new Error("A message is not an object.");
  return json;
}
