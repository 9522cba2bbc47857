import { useMutation } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { OperatorService } from "../../../clients/typescript/src/gen/latchkey/v1/operator_service_pb.ts";
import { failureOf } from "../api/failure.ts";
import { Eraser, Pause, Play } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { useToast } from "../ui/toast.tsx";
import { EraseTenant } from "./erase-tenant.tsx";
import { SuspendTenant } from "./suspend-tenant.tsx";

interface TenantActionsProps {
  readonly tenantId: string;
  /** Empty: it has no organization, or the list does not have its name. */
  readonly name: string;
  readonly isSuspended: boolean;
}

/** Suspends and resumes a tenant, and erases it. */
export function TenantActions({ tenantId, name, isSuspended }: TenantActionsProps) {
  const label = name || tenantId;
  const [open, setOpen] = useState<"suspend" | "erase">();
  const trigger = useRef<HTMLButtonElement>(null);
  const toast = useToast();
  const queries = useQueryClient();
  const resume = useMutation(OperatorService.method.resumeTenant, {
    onSuccess: async () => {
      toast(`${label} is resumed`);
      await queries.invalidateQueries();
    },
    onError: (err) => toast(failureOf(err).message, "bad"),
  });
  const dialog = { tenantId, label, finalFocus: () => trigger.current, onClose: () => setOpen(undefined) };
  return (
    <>
      <Menu
        label={`Actions of ${label}`}
        triggerRef={trigger}
        actions={[
          isSuspended
            ? { label: "Resume", icon: Play, onSelect: () => resume.mutate({ tenantId }) }
            : { label: "Suspend", icon: Pause, onSelect: () => setOpen("suspend") },
          null,
          { label: "Erase", icon: Eraser, isDanger: true, onSelect: () => setOpen("erase") },
        ]}
      />
      {open === "suspend" && <SuspendTenant {...dialog} />}
      {open === "erase" && <EraseTenant {...dialog} />}
    </>
  );
}
