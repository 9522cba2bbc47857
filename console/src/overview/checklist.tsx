import { useQuery } from "@connectrpc/connect-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Card } from "../ui/card.tsx";
import { Circle, CircleCheck } from "../ui/icons.tsx";
import { FirstRequest } from "../usage/first-request.tsx";

const REFRESH_MS = 10_000;

/** The four steps of a new organization. A finished step is ticked, whatever member did it and wherever. */
export function Checklist({ hasKey, isUsed }: { hasKey: boolean; isUsed: boolean }) {
  const { may } = useCaller();
  const hasColleague = useHasColleague();
  return (
    <Card title="Get started" className="checklist">
      <ol>
        <Step isDone title="Have an organization">
          Keys, their usage and their history belong to it.
        </Step>
        <Step isDone={hasKey} title="Create a key">
          {may("api_keys:write") ? (
            <Link className="button button-main" href="/keys/new">
              Create key
            </Link>
          ) : (
            "Ask a member whose role may create keys."
          )}
        </Step>
        <Step isDone={isUsed} title="Send the first request">
          {hasKey ? <FirstRequest /> : "With the key, from your own server."}
        </Step>
        {hasColleague !== undefined && (
          <Step isDone={hasColleague} title="Invite a colleague">
            {may("org:write") ? <Link href="/members">Members</Link> : "A member whose role may invite does this."}
          </Step>
        )}
      </ol>
    </Card>
  );
}

/** Undefined: not known, as where the identity provider has the members. */
function useHasColleague(): boolean | undefined {
  const { may } = useCaller();
  const enabled = may("org:read");
  const members = useQuery(OrgService.method.listMembers, { perPage: 2 }, { enabled, refetchInterval: REFRESH_MS });
  const invitations = useQuery(
    OrgService.method.listInvitations,
    { perPage: 1 },
    { enabled: enabled && may("org:write") },
  );
  if (members.data === undefined) return undefined;
  return (members.data.pagination?.total ?? 0) > 1 || (invitations.data?.invitations.length ?? 0) > 0;
}

interface StepProps {
  readonly isDone: boolean;
  readonly title: string;
  readonly children: ReactNode;
}

function Step({ isDone, title, children }: StepProps) {
  return (
    <li className={isDone ? "checklist-done" : undefined}>
      {isDone ? <CircleCheck /> : <Circle />}
      <div>
        <h3>
          {title}
          <span className="hidden">{isDone ? ": done" : ": to do"}</span>
        </h3>
        {!isDone && <div className="checklist-how">{children}</div>}
      </div>
    </li>
  );
}
