import "../styles/people.css";
import { useState } from "react";
import { useCaller } from "../api/caller.tsx";
import { Button } from "../ui/button.tsx";
import { Plus } from "../ui/icons.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Invitations } from "./invitations.tsx";
import { Invite } from "./invite.tsx";
import { Members } from "./members.tsx";

/** Who belongs to the organization, and who was invited. */
export function MembersPage() {
  const { may } = useCaller();
  const [isInviting, setInviting] = useState(false);
  return (
    <>
      <PageHeader title="Members">
        {may("org:write") && (
          <Button look="main" onClick={() => setInviting(true)}>
            <Plus />
            Invite a member
          </Button>
        )}
      </PageHeader>
      <Members />
      <Invitations />
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </>
  );
}
