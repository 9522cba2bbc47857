import { useQuery } from "@connectrpc/connect-query";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import type { Actor, AuditEvent } from "../../../clients/typescript/src/gen/latchkey/v1/audit_pb.ts";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { useKeyNames } from "../requests/key-names.ts";

/** As many as the service lists at once. */
const PER_PAGE = 100;
const FRESH_MS = 60_000;

/** Names for those that events name only by their ids. */
export interface EventReader {
  /** Whether the reader of the page acted. */
  isSelf(actor: Actor): boolean;
  /** A user's email address; undefined: not known. */
  emailOf(userId: string): string | undefined;
  keyNameOf(keyId: string): string | undefined;
  /** The page of a key; undefined: this reader may not see it. */
  keyPath(keyId: string): string | undefined;
  /** Those whose events can be chosen, by their ids. */
  readonly people: ReadonlyMap<string, string>;
  readonly keys: ReadonlyMap<string, string>;
}

const EventReaderContext = createContext<EventReader | undefined>(undefined);

export function useEventReader(): EventReader {
  const reader = useContext(EventReaderContext);
  if (reader === undefined) throw new Error("There is no reader of events above this component.");
  return reader;
}

export function EventReaderProvider({ reader, children }: { reader: EventReader; children: ReactNode }) {
  return <EventReaderContext value={reader}>{children}</EventReaderContext>;
}

/** The member of an organization who reads these events: the first 100 members have names, and all keys. */
export function useMemberReader(events: readonly AuditEvent[] = []): EventReader {
  const { session, may } = useCaller();
  const { byId: keys } = useKeyNames(events.flatMap(({ actor, targetId }) => [actor?.keyId ?? "", targetId]));
  const { data } = useQuery(
    OrgService.method.listMembers,
    { perPage: PER_PAGE },
    { enabled: may("org:read"), staleTime: FRESH_MS },
  );
  const { user } = session;
  const mayReadKeys = may("api_keys:read");
  return useMemo(() => {
    const people = new Map(data?.members.map(({ userId, email }) => [userId, email || userId]));
    return {
      people,
      keys,
      isSelf: ({ kind, userId, issuer }) => kind === "dashboard_user" && userId === user.id && issuer === user.issuer,
      emailOf: (userId) => {
        const email = people.get(userId);
        return email === userId ? undefined : email;
      },
      keyNameOf: (keyId) => keys.get(keyId),
      keyPath: (keyId) => (mayReadKeys ? `/keys/${keyId}` : undefined),
    };
  }, [data, keys, user, mayReadKeys]);
}
