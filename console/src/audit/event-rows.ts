import { toJson } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type AuditEvent, AuditEventSchema } from "../../../clients/typescript/src/gen/latchkey/v1/audit_pb.ts";
import type { EventReader } from "./event-reader.tsx";

const HEADS = [
  ...["Time", "Action", "Actor", "Actor's id", "Actor's name", "Target", "Target's name", "Refused RPC", "Reason"],
  ...["Changes", "Address", "Request", "Event"],
];

/** Events as the rows of a table, with its heads. Times are in UTC. */
export function eventRows(events: readonly AuditEvent[], reader: EventReader): string[][] {
  return [HEADS, ...events.map((event) => rowOf(event, reader))];
}

function rowOf(event: AuditEvent, { emailOf, keyNameOf }: EventReader): string[] {
  const { at, action, actor, targetId, refusal, address, requestId, eventId } = event;
  const { kind = "", userId = "", keyId = "" } = actor ?? {};
  const time = at === undefined ? "" : timestampDate(at).toISOString();
  const name = userId === "" ? keyNameOf(keyId) : emailOf(userId);
  const target = emailOf(targetId) ?? keyNameOf(targetId) ?? "";
  return [
    ...[time, action, kind, userId || keyId, name ?? "", targetId, target, refusal?.rpc ?? "", refusal?.reason ?? ""],
    ...[changesOf(event), address, requestId, eventId],
  ];
}

/** As JSON; empty where nothing changed. */
function changesOf(event: AuditEvent): string {
  if (Object.keys(event.changes).length === 0) return "";
  const json = toJson(AuditEventSchema, event);
  return typeof json === "object" && json !== null && "changes" in json ? JSON.stringify(json.changes) : "";
}
