import type { Actor, AuditEvent } from "../../../clients/typescript/src/gen/latchkey/v1/audit_pb.ts";
import type { Column } from "../output/column.ts";
import { instant } from "../output/values.ts";

export const EVENT: readonly Column<AuditEvent>[] = [
  { name: "at", text: ({ at }) => instant(at) },
  { name: "actor", text: ({ actor }) => actorName(actor), shrinks: true },
  { name: "action", text: ({ action }) => action, tone: ({ refusal }) => (refusal === undefined ? undefined : "bad") },
  { name: "target_id", text: ({ targetId }) => targetId },
  { name: "changes", text: changed, shrinks: true },
  { name: "address", text: ({ address }) => address },
];

/** An event as the operator sees it. */
export const TENANT_EVENT: readonly Column<AuditEvent>[] = [
  { name: "tenant_id", text: ({ tenantId = "" }) => tenantId },
  ...EVENT,
];

/** A change that was lost, as the event says that the service made of it. */
export const LOST_EVENT: readonly Column<AuditEvent>[] = [
  { name: "tenant_id", text: ({ tenantId = "" }) => tenantId },
  { name: "change", text: lostAction },
  { name: "target_id", text: ({ targetId }) => targetId },
  { name: "request_id", text: ({ requestId }) => requestId },
  { name: "listed_at", text: ({ at }) => instant(at) },
];

function lostAction({ changes }: AuditEvent): string {
  const { kind } = changes.action?.old ?? {};
  return kind?.case === "stringValue" ? kind.value : "";
}

/** Who an actor is, in a word. Empty: unknown. */
export function actorName(actor: Actor | undefined): string {
  const { kind = "", userId = "", keyId = "" } = actor ?? {};
  return userId || keyId || kind;
}

/** The names of the members that changed, or why the call was refused. The values are in the JSON. */
function changed({ changes, refusal }: AuditEvent): string {
  if (refusal === undefined) return Object.keys(changes).join(",");
  return refusal.count > 1 ? `${refusal.reason} (${refusal.count} calls)` : refusal.reason;
}
