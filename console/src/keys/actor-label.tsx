import { useQuery } from "@connectrpc/connect-query";
import type { Actor } from "../../../clients/typescript/src/gen/latchkey/v1/audit_pb.ts";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { memberLabel } from "../members/member-label.ts";

const MEMBERS_MAX = 100;

/** Who did something: the reader, a member by their address, else the id; the id is in the title. */
export function ActorLabel({ actor: { kind, userId, issuer } }: { actor: Actor }) {
  const {
    may,
    session: { user },
  } = useCaller();
  const { data } = useQuery(
    OrgService.method.listMembers,
    { perPage: MEMBERS_MAX },
    { enabled: may("org:read") && kind === "dashboard_user", retry: false },
  );
  if (userId === "") return kind.replaceAll("_", " ");
  if (userId === user.id && issuer === user.issuer) return <span title={userId}>you</span>;
  const member = data?.members.find((one) => one.userId === userId && one.issuer === issuer);
  return <span title={userId}>{member === undefined ? userId : memberLabel(member)}</span>;
}
