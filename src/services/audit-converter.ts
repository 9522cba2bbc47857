import { fromJson, type JsonValue, type MessageInitShape } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { ActorSchema, AuditChangeSchema, AuditEventSchema } from "../../gen/latchkey/v1/audit_pb.ts";
import type { ListAuditEventsRequest } from "../../gen/latchkey/v1/audit_service_pb.ts";
import type { AuditFilter } from "../domain/audit/audit-trail.ts";
import type { Changes } from "../domain/audit/changes.ts";
import type { Actor, AuditEvent } from "../domain/audit/event.ts";
import type { ListedEvents } from "../domain/audit/list.ts";
import { toDate, toTimestamp } from "./dates.ts";

/** The members of a request that say which events to list. */
type FilterFields = Pick<ListAuditEventsRequest, "from" | "to" | "actorId" | "action" | "targetId" | "requestId">;

export function fromAuditFilter({ from, to, ...texts }: FilterFields): AuditFilter {
  const { actorId, action, targetId, requestId } = texts;
  return { from: toDate(from), to: toDate(to), actorId, action, targetId, requestId };
}

/** One page of events. */
interface Events {
  readonly events: MessageInitShape<typeof AuditEventSchema>[];
  readonly nextPageToken: string;
}

export function toEvents({ events, nextPageToken }: ListedEvents): Events {
  return { events: events.map(toEvent), nextPageToken };
}

/** As `toEvents`, with the tenants. */
export function toTenantsEvents(listed: ListedEvents): Events {
  const events = listed.events.map((event) => ({
    ...toEvent(event),
    ...(event.tenantId !== null && { tenantId: event.tenantId }),
  }));
  return { events, nextPageToken: listed.nextPageToken };
}

function toEvent(event: AuditEvent): MessageInitShape<typeof AuditEventSchema> {
  const { eventId, at, actor, action, targetId, changes, address, requestId, traceId, refusal, impersonation } = event;
  return {
    eventId,
    at: toTimestamp(at),
    actor: toActor(actor),
    action,
    targetId,
    changes: toChanges(changes),
    address: address ?? "",
    requestId,
    traceId: traceId ?? "",
    ...(refusal !== null && { refusal: { ...refusal } }),
    ...(impersonation !== null && {
      impersonation: { hour: toTimestamp(new Date(impersonation.hour)), calls: impersonation.calls },
    }),
  };
}

export function toActor(actor: Actor): MessageInitShape<typeof ActorSchema> {
  const { kind, userId, issuer, keyId, operatorToken } = actor;
  return {
    kind,
    userId: userId ?? "",
    issuer: issuer ?? "",
    keyId: keyId ?? "",
    operatorToken: operatorToken ?? 0,
  };
}

function toChanges(changes: Changes): Record<string, MessageInitShape<typeof AuditChangeSchema>> {
  return Object.fromEntries(
    Object.entries(changes).map(([name, change]) => [
      name,
      {
        ...(change.old !== undefined && { old: toValue(change.old) }),
        ...(change.new !== undefined && { new: toValue(change.new) }),
      },
    ]),
  );
}

function toValue(json: unknown): Value {
  return fromJson(ValueSchema, json as JsonValue);
}
