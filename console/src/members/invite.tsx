import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useMutation } from "@connectrpc/connect-query";
import { type FormEvent, useState } from "react";
import type { Invitation } from "../../../clients/typescript/src/gen/latchkey/v1/org_pb.ts";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { useCreation } from "../api/creation.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Alert, Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { useLeaveGuard, useUnsaved } from "../ui/leave-guard.tsx";
import { LostSecretDialog } from "../ui/lost-secret.tsx";
import { askToLeave } from "../ui/navigation-guards.ts";
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
  const { make, isPending, error, data } = useCreation(OrgService.method.createInvitation, {
    // Not awaited: the link is there, and the list behind it may take its time.
    onSuccess: () => void refresh(),
  });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    make({ email, role });
  };
  const guard = useUnsaved((email !== "" || role !== ROLE_DEFAULT) && data === undefined);
  const revoke = useMutation(OrgService.method.revokeInvitation, { onSuccess: () => make({ email, role }) });
  if (data?.result && data.token === "")
    return (
      <LostSecretDialog
        made="invitation"
        lost="link"
        text="The lost invitation is revoked, and another one is made for the same address."
        isBusy={revoke.isPending}
        error={revoke.error}
        onReplace={() => revoke.mutate({ invitationId: data.result?.invitationId ?? "" })}
        onClose={onClose}
      />
    );
  if (data?.result)
    return <InvitationLink invitation={data.result} link={invitationLink(data.token)} onClose={onClose} />;
  return (
    <Dialog title="Invite a member" open onClose={() => askToLeave(onClose)}>
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
        {guard.question}
      </form>
    </Dialog>
  );
}

interface InvitationLinkProps {
  readonly invitation: Invitation;
  readonly link: string;
  readonly onClose: () => void;
}

/** The link, the one time that it is there: what would lose it before it is copied asks. */
function InvitationLink({ invitation: { email, role, expiresAt }, link, onClose }: InvitationLinkProps) {
  const [isCopied, setCopied] = useState(false);
  const guard = useLeaveGuard({
    isOn: !isCopied,
    title: "Close without the link?",
    text: `The link was not copied, and cannot be shown again. Without it ${email} cannot join: you would revoke the invitation and make another one.`,
    leave: "Close without it",
    stay: "Go back to the link",
  });
  return (
    <Alert title={`Invitation of ${email}`} open onClose={() => guard.ask(onClose)}>
      <Notice kind="warn">
        This link is shown once. Copy it now and send it to {email}: no mail is sent from here.
      </Notice>
      <Field
        label="Invitation link"
        value={link}
        onChange={() => undefined}
        onFocus={(event) => event.target.select()}
        onCopy={() => setCopied(true)}
        readOnly
      />
      <p className="quiet">
        It makes them a member with the role {role}, if they sign in with this address
        {expiresAt && ` before ${exactly(timestampDate(expiresAt))}`}.
      </p>
      <div className="actions">
        <CopyButton text={link} label="Copy link" onCopied={() => setCopied(true)} />
        <Button look="main" onClick={() => guard.ask(onClose)}>
          Done
        </Button>
      </div>
      {guard.question}
    </Alert>
  );
}
