import { toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import type { ReactNode } from "react";
import type { AuditEvent } from "../../../clients/typescript/src/gen/latchkey/v1/audit_pb.ts";
import { reasonInWords } from "../usage/reasons.ts";
import { useEventReader } from "./event-reader.tsx";
import { ActorName, KeyName, PersonName } from "./names.tsx";

const LIST = new Intl.ListFormat("en");

/** What happened: who did what to what. */
export function Sentence({ event }: { event: AuditEvent }) {
  const { isSelf } = useEventReader();
  const { actor } = event;
  return (
    <>
      {actor ? <ActorName actor={actor} /> : "An unknown caller"}{" "}
      {predicateOf(event, actor !== undefined && isSelf(actor) ? "were" : "was")}
    </>
  );
}

function predicateOf(event: AuditEvent, was: string): ReactNode {
  const { action, targetId } = event;
  const key = <KeyName keyId={targetId} name={textOf(event, "name")} />;
  const person = <PersonName userId={targetId} />;
  const id = <code>{targetId}</code>;
  const [before, after] = [textOf(event, "role", "old"), textOf(event, "role", "new")];
  switch (action) {
    case "api_key.created":
      return <>created the key {key}</>;
    case "api_key.disabled":
      return <>disabled the key {key}</>;
    case "api_key.enabled":
      return <>enabled the key {key}</>;
    case "api_key.leaked":
      return <>reported the key {key} as leaked, which disabled it</>;
    case "api_key.policy_set":
      return "set the rules for keys";
    case "api_key.revoked":
      return <>revoked the key {key}</>;
    case "api_key.rotated":
      return <>rotated the key {key}</>;
    case "api_key.updated":
      return (
        <>
          changed {changed(event)} of the key {key}
        </>
      );
    case "org.created":
      return <>created the organization {textOf(event, "name")}</>;
    case "org.updated":
      return <>renamed the organization to {textOf(event, "name")}</>;
    case "org.switched":
      return "switched to this organization";
    case "org.invitation.created":
      return <>invited a person as {after}</>;
    case "org.invitation.accepted":
      return <>accepted an invitation as {after}</>;
    case "org.invitation.revoked":
      return <>withdrew an invitation as {before}</>;
    case "org.member.removed":
      return <>removed {person} from the organization</>;
    case "org.member.role_set":
      return (
        <>
          changed the role of {person} from {before} to {after}
        </>
      );
    case "tenant.suspended":
      return "suspended the organization";
    case "tenant.resumed":
      return "resumed the organization";
    case "tenant.erased":
      return "erased the organization's data";
    case "token.derived":
      return <>derived the token {id}</>;
    case "token.revoked":
      return <>revoked the token {id}</>;
    case "federation.rule_created":
      return <>created the rule for workloads {textOf(event, "name")}</>;
    case "federation.rule_deleted":
      return <>deleted the rule for workloads {textOf(event, "name")}</>;
    case "federation.rule_updated":
      return (
        <>
          changed {changed(event)} of the rule for workloads {id}
        </>
      );
    case "api_key.exported":
      return "exported keys with their hashes";
    case "api_key.imported":
      return <>imported the key {id}</>;
    case "api_key.import_called":
      return <>imported {textOf(event, "created")} keys</>;
    case "key_format.created":
      return <>created the key format {id}</>;
    case "key_format.deleted":
      return <>deleted the key format {id}</>;
    case "user.erased":
      return <>erased the data of {person}</>;
    case "user.impersonated":
      return (
        <>
          made {callsOf(event)}
          {targetId === "" && " for further users"} within an hour
        </>
      );
    case "webhook.created":
      return <>created the webhook {id}</>;
    case "webhook.deleted":
      return <>deleted the webhook {id}</>;
    case "change.lost":
      return <>found that the database had lost a change of {id}</>;
    case "change.restored":
      return <>made a change of {id} again that the database had lost</>;
    case "webhook.disabled":
      return <>disabled the webhook {id}</>;
    case "webhook.secret_rotated":
      return <>rotated the secret of the webhook {id}</>;
    case "webhook.updated":
      return (
        <>
          changed {changed(event)} of the webhook {id}
        </>
      );
    case "access.denied":
      return (
        <>
          {was} refused {refused(event)}
          {targetId.startsWith("key_") && <> for the key {key}</>}
        </>
      );
    default:
      // Of a later version.
      return (
        <>
          did {action} to {person}
        </>
      );
  }
}

/** The name of a record that is new or was changed, and other members that are texts. */
function textOf({ changes }: AuditEvent, member: string, side?: "old" | "new"): string | undefined {
  const change = changes[member];
  const value = side === undefined ? (change?.new ?? change?.old) : change?.[side];
  const json = value && toJson(ValueSchema, value);
  return typeof json === "string" ? json : undefined;
}

function changed({ changes }: AuditEvent): string {
  const names = Object.keys(changes)
    .sort()
    .map((name) => name.replaceAll("_", " "));
  return names.length === 0 ? "nothing" : LIST.format(names);
}

function callsOf({ impersonation }: AuditEvent): string {
  const calls = impersonation?.calls ?? 0;
  return calls === 1 ? "a call" : `${calls.toLocaleString("en")} calls`;
}

function refused({ refusal }: AuditEvent): ReactNode {
  if (refusal === undefined) return "a call";
  const { rpc, reason, count } = refusal;
  const why = reasonInWords(reason).toLowerCase();
  if (rpc === "") return `${count.toLocaleString("en")} calls (${why})`;
  return (
    <>
      <code>{rpc.slice(rpc.lastIndexOf("/") + 1)}</code> ({why})
    </>
  );
}
