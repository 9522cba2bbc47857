import "../styles/people.css";
import { useState } from "react";
import { useCaller } from "../api/caller.tsx";
import { Button } from "../ui/button.tsx";
import { Invitations } from "./invitations.tsx";
import { Invite } from "./invite.tsx";
import { Members } from "./members.tsx";

/** Who belongs to the organization, and who was invited. */
export function MembersPage() {
  const { may } = useCaller();
  const [isInviting, setInviting] = useState(false);
  return (
    <>
      <div className="heading">
        <h1>Members</h1>
        {may("org:write") && (
          <Button look="main" onClick={() => setInviting(true)}>
            Invite a member
          </Button>
        )}
      </div>
      <Members />
      <Invitations />
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </>
  );
}
