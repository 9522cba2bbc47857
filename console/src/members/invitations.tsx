import { useMutation, useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { type Invitation, InvitationStatus } from "../../../clients/typescript/src/gen/latchkey/v1/org_pb.ts";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Badge, type Tone } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { Stale } from "../ui/loaded.tsx";
import { pageOf, withPage } from "../ui/page-parameter.ts";
import { Pages } from "../ui/pages.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Problem } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";
import { Confirm } from "./confirm.tsx";
import { useRefreshMembers } from "./member-queries.ts";

const HEADING = "invitations";
const STATUSES: Record<InvitationStatus, { readonly name: string; readonly tone: Tone }> = {
  [InvitationStatus.UNSPECIFIED]: { name: "unknown", tone: "quiet" },
  [InvitationStatus.PENDING]: { name: "pending", tone: "warn" },
  [InvitationStatus.ACCEPTED]: { name: "accepted", tone: "good" },
  [InvitationStatus.REVOKED]: { name: "revoked", tone: "quiet" },
  [InvitationStatus.EXPIRED]: { name: "expired", tone: "quiet" },
  [InvitationStatus.ENDED]: { name: "ended", tone: "quiet" },
};
/** Their date of expiry says nothing any more. */
const OVER: readonly InvitationStatus[] = [InvitationStatus.REVOKED, InvitationStatus.ENDED];

/** Invitations of every status, newest first; a pending one can be revoked. */
export function Invitations() {
  const { may } = useCaller();
  const [search, setSearch] = useSearchParams();
  const [revoking, setRevoking] = useState<Invitation>();
  const { data, error, refetch, isPlaceholderData } = useQuery(
    OrgService.method.listInvitations,
    { page: pageOf(search, "invitations") },
    { placeholderData: keepPreviousData },
  );
  if (data === undefined && error !== null) return <Problem error={error} retry={refetch} />;
  if (data === undefined) return <Skeleton what="the invitations" kind="table" rows={3} />;
  return (
    <section className="section" aria-labelledby={HEADING} aria-busy={isPlaceholderData}>
      <h2 id={HEADING} tabIndex={-1}>
        Invitations
      </h2>
      <Stale error={error} retry={refetch} />
      {data.invitations.length === 0 ? (
        <p className="quiet">
          There are no invitations yet. An invitation is a link for one email address, for 7 days.
        </p>
      ) : (
        <>
          <ScrollRegion label="Table of invitations">
            <table className="stacked" aria-label="Invitations">
              <thead>
                <tr>
                  <th scope="col">Email address</th>
                  <th scope="col">Role</th>
                  <th scope="col">Status</th>
                  <th scope="col">Created</th>
                  <th scope="col">End</th>
                  {may("org:write") && (
                    <th scope="col">
                      <span className="hidden">What you can do</span>
                    </th>
                  )}
                </tr>
              </thead>
              <tbody>
                {data.invitations.map((invitation) => (
                  <Row
                    key={invitation.invitationId}
                    invitation={invitation}
                    mayChange={may("org:write")}
                    onRevoke={() => setRevoking(invitation)}
                  />
                ))}
              </tbody>
            </table>
          </ScrollRegion>
          <Pages pagination={data.pagination} onPage={(page) => setSearch(withPage(search, "invitations", page))} />
        </>
      )}
      {revoking && <Revoke invitation={revoking} onClose={() => setRevoking(undefined)} />}
    </section>
  );
}

interface RowProps {
  readonly invitation: Invitation;
  readonly mayChange: boolean;
  readonly onRevoke: () => void;
}

function Row({ invitation, mayChange, onRevoke }: RowProps) {
  const { email, role, status, createdAt, expiresAt, acceptedAt } = invitation;
  const { name, tone } = STATUSES[status] ?? STATUSES[InvitationStatus.UNSPECIFIED];
  const isPending = status === InvitationStatus.PENDING;
  return (
    <tr>
      <th scope="row">
        <div className="member-name">{email}</div>
      </th>
      <td data-label="Role">
        <Chip>{role}</Chip>
      </td>
      <td data-label="Status">
        <Badge tone={tone}>{name}</Badge>
      </td>
      <td data-label="Created">
        <Time at={createdAt} />
      </td>
      <td data-label="End">
        <Time at={OVER.includes(status) ? undefined : (acceptedAt ?? expiresAt)} absent="over" />
      </td>
      {mayChange && (
        <td className="row-actions">
          {isPending && (
            <Button aria-label={`Revoke invitation of ${email}`} onClick={onRevoke}>
              Revoke
            </Button>
          )}
        </td>
      )}
    </tr>
  );
}

function Revoke({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const { invitationId, email } = invitation;
  const { mutateAsync } = useMutation(OrgService.method.revokeInvitation);
  const refresh = useRefreshMembers();
  const toast = useToast();
  const revoke = async (): Promise<void> => {
    await mutateAsync({ invitationId });
    await refresh();
    toast(`The invitation of ${email} was revoked`);
  };
  return (
    <Confirm
      title={`Revoke the invitation of ${email}?`}
      action="Revoke"
      onConfirm={revoke}
      onClose={onClose}
      focusAfter={HEADING}
    >
      Its link works no more.
    </Confirm>
  );
}
