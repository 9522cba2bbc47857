import { useMutation } from "@connectrpc/connect-query";
import { type FormEvent, useState } from "react";
import type { Member } from "../../../clients/typescript/src/gen/latchkey/v1/org_pb.ts";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { useTenantChange } from "../orgs/tenant-change.ts";
import { Button } from "../ui/button.tsx";
import { Alert, Dialog } from "../ui/dialog.tsx";
import { useUnsaved } from "../ui/leave-guard.tsx";
import { askToLeave } from "../ui/navigation-guards.ts";
import { Notice, Problem } from "../ui/states.tsx";
import { useToast } from "../ui/toast.tsx";
import { memberLabel } from "./member-label.ts";
import { useRefreshMembers } from "./member-queries.ts";
import { RoleChoice } from "./role-choice.tsx";

interface ChangeRoleProps {
  readonly member: Member;
  readonly isSelf: boolean;
  readonly onClose: () => void;
}

/** Gives a member another role. One's own decides what the console shows. */
export function ChangeRole({ member, isSelf, onClose }: ChangeRoleProps) {
  const { userId, issuer } = member;
  const [role, setRole] = useState(member.role);
  const refresh = useRefreshMembers();
  const changeTenant = useTenantChange();
  const toast = useToast();
  const { mutate, isPending, error, data } = useMutation(OrgService.method.setMemberRole, {
    onSuccess: async ({ warning }) => {
      await (isSelf ? changeTenant("/members") : refresh());
      // One's own tokens are new: they have the role.
      if (warning !== undefined && !isSelf) return;
      toast(`${memberLabel(member)} is ${role} now`);
      onClose();
    },
  });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    mutate({ userId, issuer, role });
  };
  const guard = useUnsaved(role !== member.role && data === undefined);
  if (data?.warning !== undefined && !isSelf) {
    return (
      <Alert title={`${memberLabel(member)} is ${role} now`} open onClose={onClose}>
        <Notice kind="warn">{data.warning}</Notice>
        <div className="actions">
          <Button look="main" onClick={onClose}>
            Done
          </Button>
        </div>
      </Alert>
    );
  }
  return (
    <Dialog
      title={isSelf ? "Change your role" : `Change role of ${memberLabel(member)}`}
      open
      onClose={() => askToLeave(onClose)}
    >
      <form className="form" onSubmit={send}>
        <RoleChoice value={role} onChange={setRole} />
        {error && <Problem error={error} />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" type="submit" busy={isPending} disabled={role === member.role}>
            Save
          </Button>
        </div>
        {guard.question}
      </form>
    </Dialog>
  );
}
