import { Link } from "wouter";
import type { Actor } from "../../../clients/typescript/src/gen/latchkey/v1/audit_pb.ts";
import { type Caller, useCaller } from "../api/caller.tsx";

const SHOWN_CHARS = 12;

/** A key by its name, or by the begin of its id if the event has no name; linked where its page can be read. */
export function KeyName({ keyId, name }: { keyId: string; name?: string | undefined }) {
  const { may } = useCaller();
  const shown = name ?? <code>{keyId.slice(0, SHOWN_CHARS)}…</code>;
  if (!may("api_keys:read")) return <span title={keyId}>{shown}</span>;
  return (
    <Link href={`/keys/${keyId}`} title={keyId}>
      {shown}
    </Link>
  );
}

/** Who acted, as the subject of a sentence. */
export function ActorName({ actor }: { actor: Actor }) {
  const caller = useCaller();
  if (isCaller(actor, caller)) return <strong>You</strong>;
  const { kind, userId, keyId } = actor;
  const user = <strong>{userId}</strong>;
  switch (kind) {
    case "operator":
      return <strong>The operator</strong>;
    case "secret_key":
      return (
        <>
          The key <KeyName keyId={keyId} />
          {userId !== "" && <> for {user}</>}
        </>
      );
    case "publishable_key":
      return (
        <>
          {user} by the key <KeyName keyId={keyId} />
        </>
      );
    default:
      return userId === "" ? <strong>{kind.replaceAll("_", " ")}</strong> : user;
  }
}

export function isCaller({ kind, userId, issuer }: Actor, { session: { user } }: Caller): boolean {
  return kind === "dashboard_user" && userId === user.id && issuer === user.issuer;
}

/** The id by which the service finds an actor's events. */
export function actorIdOf({ kind, userId, keyId }: Actor): string {
  if (kind === "operator") return kind;
  return kind === "dashboard_user" ? userId : keyId;
}
