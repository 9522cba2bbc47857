import { useMutation } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { OperatorService } from "../../../clients/typescript/src/gen/latchkey/v1/operator_service_pb.ts";
import { Button } from "../ui/button.tsx";
import { Alert } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { Problem } from "../ui/states.tsx";
import { useToast } from "../ui/toast.tsx";
import { isTypedName } from "../ui/typed-name.ts";
import type { TenantDialogProps } from "./suspend-tenant.tsx";

/** Erases a tenant whose name was typed: nothing brings its data back. */
export function EraseTenant({ tenantId, label, finalFocus, onClose }: TenantDialogProps) {
  const [typed, setTyped] = useState("");
  const toast = useToast();
  const queries = useQueryClient();
  const erase = useMutation(OperatorService.method.eraseTenant, {
    onSuccess: async ({ result }) => {
      onClose();
      toast(result?.finished ? `${label} is erased` : `${label} is being erased, which goes on in the background`);
      await queries.invalidateQueries();
    },
  });
  const isSame = isTypedName(typed, label);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (isSame && !erase.isPending) erase.mutate({ tenantId });
  };
  return (
    <Alert
      title={`Erase ${label}`}
      description={
        <>
          <p>
            Its keys are revoked, and its conversations, members, invitations, usage and name are removed. This cannot
            be undone.
          </p>
          <p className="quiet">
            Tenant <code>{tenantId}</code>
          </p>
        </>
      }
      open
      onClose={onClose}
      finalFocus={finalFocus}
    >
      <form className="form" onSubmit={send}>
        <Field
          label={
            <>
              Type <code>{label}</code> to erase it
            </>
          }
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={setTyped}
        />
        {erase.error && <Problem error={erase.error} />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" disabled={!isSame} busy={erase.isPending}>
            Erase
          </Button>
        </div>
      </form>
    </Alert>
  );
}
