import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useMutation } from "@connectrpc/connect-query";
import { type FormEvent, useState } from "react";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Alert, Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { Notice, Problem } from "../ui/states.tsx";
import { exactly } from "../ui/time.tsx";
import { invitationLink } from "./invitation-link.ts";
import { useRefreshMembers } from "./member-queries.ts";
import { RoleChoice } from "./role-choice.tsx";

const ROLE_DEFAULT = "viewer";

/** Invites a person by email address, and shows the link once: the service sends no mail, and keeps no copy. */
export function Invite({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState(ROLE_DEFAULT);
  const refresh = useRefreshMembers();
  const { mutate, isPending, error, data } = useMutation(OrgService.method.createInvitation, {
    // Not awaited: the link is there, and the list behind it may take its time.
    onSuccess: () => void refresh(),
  });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    mutate({ email, role });
  };
  if (data?.result) {
    const { expiresAt } = data.result;
    const link = invitationLink(data.token);
    return (
      <Alert title={`Invitation of ${data.result.email}`} open onClose={onClose}>
        <Notice kind="warn">
          This link is shown once. Copy it now and send it to {data.result.email}: no mail is sent from here.
        </Notice>
        <Field
          label="Invitation link"
          value={link}
          onChange={() => undefined}
          onFocus={(event) => event.target.select()}
          readOnly
        />
        <div className="actions">
          <CopyButton text={link} label="Copy link" />
        </div>
        <p className="quiet">
          It makes them a member with the role {data.result.role}, if they sign in with this address
          {expiresAt && ` before ${exactly(timestampDate(expiresAt))}`}.
        </p>
        <div className="actions">
          <Button look="main" onClick={onClose}>
            Done
          </Button>
        </div>
      </Alert>
    );
  }
  return (
    <Dialog title="Invite a member" open onClose={onClose}>
      <form className="form" onSubmit={send}>
        <Field
          label="Email address"
          hint="The address that they sign in with."
          type="text"
          inputMode="email"
          autoComplete="off"
          spellCheck={false}
          maxLength={254}
          required
          value={email}
          onChange={setEmail}
        />
        <RoleChoice value={role} onChange={setRole} />
        {error && <Problem error={error} />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" type="submit" busy={isPending}>
            Create invitation
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
