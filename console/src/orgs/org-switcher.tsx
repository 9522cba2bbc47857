import "../styles/account.css";
import { Menu } from "@base-ui/react/menu";
import { useMutation } from "@connectrpc/connect-query";
import { Check, ChevronsUpDown, Pencil, Plus } from "lucide-react";
import { useRef, useState } from "react";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Problem } from "../ui/states.tsx";
import { type Memberships, useMemberships } from "./memberships.ts";
import { NewOrg, RenameOrg } from "./org-dialogs.tsx";
import { useTenantChange } from "./tenant-change.ts";

/** The organization that one works in and one's role there, and the ways to another. */
export function OrgSwitcher() {
  const { tenantId, may } = useCaller();
  const memberships = useMemberships();
  const { current } = memberships;
  const changeTenant = useTenantChange();
  const switching = useMutation(OrgService.method.switchOrg, { onSuccess: () => changeTenant() });
  const [dialog, setDialog] = useState<"new" | "rename">();
  const trigger = useRef<HTMLButtonElement>(null);
  // In the header, so that the menu is in one of the page's regions.
  const place = useRef<HTMLDivElement>(null);
  const dialogProps = { finalFocus: () => trigger.current, onClose: () => setDialog(undefined) };
  const name = current?.name ?? (tenantId === "" ? "No organization" : tenantId);
  return (
    <div className="org-switcher" ref={place}>
      <Menu.Root>
        <Menu.Trigger ref={trigger} className="org-switcher-button">
          <span className="org-switcher-text">
            <span className="hidden">Organization </span>
            <span className="org-switcher-name">{name}</span>{" "}
            {current && <span className="org-switcher-role">{current.role}</span>}
          </span>
          <ChevronsUpDown />
        </Menu.Trigger>
        <Menu.Portal container={place}>
          <Menu.Positioner className="menu-positioner" align="start" sideOffset={4} collisionPadding={8}>
            <Menu.Popup className="menu">
              <Organizations {...memberships} onChoose={(orgId) => switching.mutate({ orgId })} />
              {current && may("org:write") && (
                <Menu.Item className="menu-item" onClick={() => setDialog("rename")}>
                  <Pencil />
                  Rename organization
                </Menu.Item>
              )}
              <Menu.Item className="menu-item" onClick={() => setDialog("new")}>
                <Plus />
                New organization
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <SwitchProblem error={switching.error} onClose={switching.reset} />
      {dialog === "new" && <NewOrg {...dialogProps} />}
      {dialog === "rename" && current && <RenameOrg name={current.name} {...dialogProps} />}
    </div>
  );
}

function Organizations({ all, total, current, onChoose }: Memberships & { onChoose: (orgId: string) => void }) {
  if (all.length === 0) return null;
  return (
    <>
      <Menu.RadioGroup value={current?.orgId} onValueChange={onChoose}>
        <Menu.GroupLabel className="menu-label">Organizations</Menu.GroupLabel>
        {all.map(({ orgId, name, role }) => (
          <Menu.RadioItem key={orgId} value={orgId} label={name} className="menu-item org-choice" closeOnClick>
            <Menu.RadioItemIndicator className="org-choice-mark" keepMounted>
              <Check />
            </Menu.RadioItemIndicator>
            <span className="org-choice-name">{name}</span> <span className="quiet small">{role}</span>
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      {total > all.length && (
        <p className="menu-label">
          These are {all.length} of {total.toLocaleString("en")}.
        </p>
      )}
      <Menu.Separator className="menu-separator" />
    </>
  );
}

/** For a choice whose menu is gone. */
function SwitchProblem({ error, onClose }: { error: Error | null; onClose: () => void }) {
  return (
    <Dialog title="The organization was not switched" open={error !== null} onClose={onClose}>
      {error && <Problem error={error} />}
      <div className="actions">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
