import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "wouter";
import type { Member } from "../../../clients/typescript/src/gen/latchkey/v1/org_pb.ts";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { type Caller, useCaller } from "../api/caller.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { CopyId } from "../ui/copy-id.tsx";
import { Stale } from "../ui/loaded.tsx";
import { pageOf, withPage } from "../ui/page-parameter.ts";
import { Pages } from "../ui/pages.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Problem } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { ChangeRole } from "./change-role.tsx";
import { memberLabel } from "./member-label.ts";
import { RemoveMember } from "./remove-member.tsx";

const HEADING = "members";

/** The members with their roles; what may be changed has a button. */
export function Members() {
  const caller = useCaller();
  const [search, setSearch] = useSearchParams();
  const [open, setOpen] = useState<{ readonly dialog: "role" | "remove"; readonly member: Member }>();
  const { data, error, refetch, isPlaceholderData } = useQuery(
    OrgService.method.listMembers,
    { page: pageOf(search, "page") },
    { placeholderData: keepPreviousData },
  );
  if (data === undefined && error !== null) return <Problem error={error} retry={refetch} />;
  if (data === undefined) return <Skeleton what="the members" kind="table" rows={4} />;
  const dialogProps = open && { member: open.member, isSelf: isSelf(caller, open.member), focusAfter: HEADING };
  return (
    <section className="section" aria-labelledby={HEADING} aria-busy={isPlaceholderData}>
      <h2 id={HEADING} tabIndex={-1}>
        In the organization
      </h2>
      <Stale error={error} retry={refetch} />
      <ScrollRegion label="Table of members">
        <table className="stacked" aria-label="Members">
          <thead>
            <tr>
              <th scope="col">Member</th>
              <th scope="col">Role</th>
              <th scope="col">Since</th>
              {caller.may("org:write") && (
                <th scope="col">
                  <span className="hidden">What you can do</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {data.members.map((member) => (
              <Row
                key={`${member.issuer} ${member.userId}`}
                member={member}
                isSelf={isSelf(caller, member)}
                mayChange={caller.may("org:write")}
                onOpen={(dialog) => setOpen({ dialog, member })}
              />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <Pages pagination={data.pagination} onPage={(page) => setSearch(withPage(search, "page", page))} />
      {open?.dialog === "role" && dialogProps && <ChangeRole {...dialogProps} onClose={() => setOpen(undefined)} />}
      {open?.dialog === "remove" && dialogProps && <RemoveMember {...dialogProps} onClose={() => setOpen(undefined)} />}
    </section>
  );
}

function isSelf({ session, userId }: Caller, member: Member): boolean {
  return member.userId === userId && member.issuer === session.user.issuer;
}

interface RowProps {
  readonly member: Member;
  readonly isSelf: boolean;
  readonly mayChange: boolean;
  readonly onOpen: (dialog: "role" | "remove") => void;
}

function Row({ member, isSelf, mayChange, onOpen }: RowProps) {
  const label = memberLabel(member);
  return (
    <tr>
      <th scope="row">
        <div className="member-name">
          <span>
            {label} {isSelf && <Badge>you</Badge>}
          </span>
          {member.email !== "" && <CopyId text={member.userId} name={`user id of ${label}`} />}
        </div>
      </th>
      <td data-label="Role">
        <Chip>{member.role}</Chip>
      </td>
      <td data-label="Since">
        <Time at={member.createdAt} />
      </td>
      {mayChange && (
        <td className="row-actions">
          <Button aria-label={`Change role of ${label}`} onClick={() => onOpen("role")}>
            Change role
          </Button>
          <Button aria-label={isSelf ? "Leave the organization" : `Remove ${label}`} onClick={() => onOpen("remove")}>
            {isSelf ? "Leave" : "Remove"}
          </Button>
        </td>
      )}
    </tr>
  );
}
