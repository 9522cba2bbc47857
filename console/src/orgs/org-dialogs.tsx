import { createConnectQueryKey, useMutation } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { useCreation } from "../api/creation.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { askToLeave } from "../ui/navigation-guards.ts";
import { useToast } from "../ui/toast.tsx";
import { OrgForm } from "./org-form.tsx";
import { useTenantChange } from "./tenant-change.ts";

interface OrgDialogProps {
  readonly finalFocus: () => HTMLElement | null;
  readonly onClose: () => void;
}

/** Creates another organization and goes on in it. */
export function NewOrg({ finalFocus, onClose }: OrgDialogProps) {
  const changeTenant = useTenantChange();
  const { make, isPending, error } = useCreation(OrgService.method.createOrg, {
    onSuccess: async () => {
      await changeTenant();
      onClose();
    },
  });
  return (
    <Dialog
      title="New organization"
      description="It has keys, members and usage of its own. You are its owner, and the console switches to it."
      open
      onClose={() => askToLeave(onClose)}
      finalFocus={finalFocus}
    >
      <OrgForm action="Create" isPending={isPending} error={error} onSend={(name) => make({ name })}>
        <Button onClick={onClose}>Cancel</Button>
      </OrgForm>
    </Dialog>
  );
}

/** Renames the current organization. */
export function RenameOrg({ name, finalFocus, onClose }: OrgDialogProps & { readonly name: string }) {
  const queries = useQueryClient();
  const toast = useToast();
  const { mutate, isPending, error } = useMutation(OrgService.method.updateOrg, {
    onSuccess: async () => {
      const queryKey = createConnectQueryKey({ schema: OrgService.method.listOrgs, cardinality: undefined });
      await queries.invalidateQueries({ queryKey });
      toast("The organization was renamed");
      onClose();
    },
  });
  return (
    <Dialog title={`Rename ${name}`} open onClose={() => askToLeave(onClose)} finalFocus={finalFocus}>
      <OrgForm
        name={name}
        action="Rename"
        isPending={isPending}
        error={error}
        onSend={(changed) => mutate({ name: changed })}
      >
        <Button onClick={onClose}>Cancel</Button>
      </OrgForm>
    </Dialog>
  );
}
