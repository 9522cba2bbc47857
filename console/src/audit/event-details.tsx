import { type JsonValue, toJson } from "@bufbuild/protobuf";
import { timestampDate, type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { Fragment } from "react";
import { Link } from "wouter";
import type { Actor, AuditChange, AuditEvent } from "../../../clients/typescript/src/gen/latchkey/v1/audit_pb.ts";
import { Button } from "../ui/button.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { exactly } from "../ui/time.tsx";
import type { FilterValues } from "./event-filters.ts";
import { type EventReader, useEventReader } from "./event-reader.tsx";
import { actorIdOf } from "./names.tsx";

interface EventDetailsProps {
  readonly event: AuditEvent;
  /** The filters of the list. */
  readonly values: FilterValues;
  readonly onFilter: (values: Partial<FilterValues>) => void;
}

/** Everything that an event has. */
export function EventDetails({ event, values, onFilter }: EventDetailsProps) {
  const { eventId, at, actor, action, targetId, address, requestId, traceId, refusal, impersonation } = event;
  const reader = useEventReader();
  const changes = Object.entries(event.changes).sort(([a], [b]) => a.localeCompare(b));
  const actorId = actor === undefined ? values.actor : actorIdOf(actor);
  const facts = {
    Action: action,
    Time: at && `${exactly(timestampDate(at))} (${timestampDate(at).toISOString()})`,
    ...(actor && actorFacts(actor, reader)),
    Target: named(targetId, reader.emailOf(targetId) ?? reader.keyNameOf(targetId)),
    Tenant: event.tenantId,
    Refused: refusal?.rpc,
    Reason: refusal?.reason,
    "Hour from": impersonation?.hour && exactly(timestampDate(impersonation.hour)),
    Address: address,
    Request: requestId,
    Trace: traceId,
    Event: eventId,
  };
  return (
    <div className="event-details">
      <dl className="facts">
        {Object.entries(facts).map(
          ([name, fact]) =>
            fact && (
              <Fragment key={name}>
                <dt>{name}</dt>
                <dd>
                  <Fact text={fact} />
                </dd>
              </Fragment>
            ),
        )}
      </dl>
      {changes.length > 0 && <Changes changes={changes} />}
      <div className="event-filters">
        {actorId !== values.actor && <Button onClick={() => onFilter({ actor: actorId })}>Only this actor</Button>}
        {targetId !== "" && targetId !== values.target && (
          <Button onClick={() => onFilter({ target: targetId })}>Only this target</Button>
        )}
        {requestId !== "" && requestId !== values.request && (
          <Button onClick={() => onFilter({ request: requestId })}>Only this request</Button>
        )}
      </div>
    </div>
  );
}

/** An id with the name of what it stands for, where that is known. */
function named(id: string, name: string | undefined): string {
  return name === undefined ? id : `${id} (${name})`;
}

/** A text that begins with the id of a key leads to its page. */
function Fact({ text }: { text: string }) {
  const { keyPath } = useEventReader();
  const [keyId = ""] = /^key_\w+/.exec(text) ?? [];
  const path = keyId === "" ? undefined : keyPath(keyId);
  if (path === undefined) return <code>{text}</code>;
  return (
    <Link href={path}>
      <code>{text}</code>
    </Link>
  );
}

function actorFacts({ kind, userId, issuer, keyId, operatorToken }: Actor, { emailOf, keyNameOf }: EventReader) {
  return {
    Actor: kind,
    "Actor's user": named(userId, emailOf(userId)),
    "Actor's issuer": issuer,
    "Actor's key": named(keyId, keyNameOf(keyId)),
    "Operator's token": operatorToken === 0 ? "" : String(operatorToken),
  };
}

function Changes({ changes }: { changes: readonly (readonly [string, AuditChange])[] }) {
  return (
    <ScrollRegion label="Changes">
      <table>
        <caption className="hidden">Members that changed, before and after</caption>
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(([name, change]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <Values change={change} />
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Values({ change: { old, new: now } }: { change: AuditChange }) {
  if (old === undefined && now === undefined) {
    return (
      <td colSpan={2} className="quiet">
        Changed. The trail does not keep its values.
      </td>
    );
  }
  return (
    <>
      <td>
        <Member value={old} />
      </td>
      <td>
        <Member value={now} />
      </td>
    </>
  );
}

function Member({ value }: { value: Value | undefined }) {
  const json = value && toJson(ValueSchema, value);
  if (json === undefined || json === null || json === "") return <span className="quiet">none</span>;
  return <code className="event-value">{linesOf(json)}</code>;
}

function linesOf(json: JsonValue): string {
  if (typeof json === "string") return json;
  const isList = Array.isArray(json) && json.every((member) => typeof member === "string");
  return isList ? json.join("\n") : JSON.stringify(json, null, 2);
}
