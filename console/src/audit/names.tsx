import { Link } from "wouter";
import type { Actor } from "../../../clients/typescript/src/gen/latchkey/v1/audit_pb.ts";
import { useEventReader } from "./event-reader.tsx";

const SHOWN_CHARS = 12;

/** A key by its name, or by the begin of its id if no name is known; linked where its page can be read. */
export function KeyName({ keyId, name }: { keyId: string; name?: string | undefined }) {
  const reader = useEventReader();
  const known = name ?? reader.keyNameOf(keyId);
  const shown = known === undefined ? <code>{keyId.slice(0, SHOWN_CHARS)}…</code> : <bdi>{known}</bdi>;
  const path = reader.keyPath(keyId);
  if (path === undefined) return <span title={keyId}>{shown}</span>;
  return (
    <Link href={path} title={keyId}>
      {shown}
    </Link>
  );
}

/** A user by the email address, or by the id if no address is known. */
export function PersonName({ userId }: { userId: string }) {
  const { emailOf } = useEventReader();
  return (
    <bdi title={userId}>
      <strong>{emailOf(userId) ?? userId}</strong>
    </bdi>
  );
}

/** Who acted, as the subject of a sentence. */
export function ActorName({ actor }: { actor: Actor }) {
  const { isSelf } = useEventReader();
  if (isSelf(actor)) return <strong>You</strong>;
  const { kind, userId, keyId } = actor;
  const user = <PersonName userId={userId} />;
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

/** The id by which the service finds an actor's events. */
export function actorIdOf({ kind, userId, keyId }: Actor): string {
  if (kind === "operator") return kind;
  return kind === "dashboard_user" ? userId : keyId;
}
