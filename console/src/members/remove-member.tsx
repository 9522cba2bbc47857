import { useMutation } from "@connectrpc/connect-query";
import type { Member } from "../../../clients/typescript/src/gen/latchkey/v1/org_pb.ts";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { useTenantChange } from "../orgs/tenant-change.ts";
import { useToast } from "../ui/toast.tsx";
import { Confirm } from "./confirm.tsx";
import { memberLabel } from "./member-label.ts";
import { useRefreshMembers } from "./member-queries.ts";

interface RemoveMemberProps {
  readonly member: Member;
  readonly isSelf: boolean;
  readonly focusAfter: string;
  readonly onClose: () => void;
}

export function RemoveMember({ member, isSelf, focusAfter, onClose }: RemoveMemberProps) {
  const { userId, issuer } = member;
  const { mutateAsync } = useMutation(OrgService.method.removeMember);
  const refresh = useRefreshMembers();
  const changeTenant = useTenantChange();
  const toast = useToast();
  const label = memberLabel(member);
  const remove = async (): Promise<void> => {
    await mutateAsync({ userId, issuer });
    await (isSelf ? changeTenant() : refresh());
    toast(isSelf ? "You left the organization" : `${label} was removed`);
  };
  return (
    <Confirm
      title={isSelf ? "Leave this organization?" : `Remove ${label}?`}
      action={isSelf ? "Leave" : "Remove"}
      onConfirm={remove}
      onClose={onClose}
      focusAfter={focusAfter}
    >
      {isSelf
        ? `You (${label}) lose access at once. Only a new invitation brings you back. API keys that you created go on.`
        : `${label} loses access at once. Only a new invitation brings them back. API keys that they created go on.`}
    </Confirm>
  );
}
