import { useMutation } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { OperatorService } from "../../../clients/typescript/src/gen/latchkey/v1/operator_service_pb.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { useUnsaved } from "../ui/leave-guard.tsx";
import { askToLeave } from "../ui/navigation-guards.ts";
import { Problem } from "../ui/states.tsx";
import { useToast } from "../ui/toast.tsx";

export interface TenantDialogProps {
  readonly tenantId: string;
  /** Its name, or the id of one without a name. */
  readonly label: string;
  readonly finalFocus: () => HTMLElement | null;
  readonly onClose: () => void;
}

/** Asks why, and suspends a tenant. */
export function SuspendTenant({ tenantId, label, finalFocus, onClose }: TenantDialogProps) {
  const [reason, setReason] = useState("");
  const toast = useToast();
  const queries = useQueryClient();
  const suspend = useMutation(OperatorService.method.suspendTenant, {
    onSuccess: async () => {
      onClose();
      toast(`${label} is suspended`);
      await queries.invalidateQueries();
    },
  });
  const guard = useUnsaved(reason !== "");
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (!suspend.isPending) suspend.mutate({ tenantId, reason });
  };
  return (
    <Dialog
      title={`Suspend ${label}`}
      description="At once, all its keys and its users are refused, until it is resumed. Nothing is deleted."
      open
      onClose={() => askToLeave(onClose)}
      finalFocus={finalFocus}
    >
      <form className="form" onSubmit={send}>
        <Field
          label="Reason"
          hint="For other operators. The tenant does not see it."
          maxLength={1024}
          value={reason}
          onChange={setReason}
        />
        {suspend.error && <Problem error={suspend.error} />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" busy={suspend.isPending}>
            Suspend
          </Button>
        </div>
        {guard.question}
      </form>
    </Dialog>
  );
}
