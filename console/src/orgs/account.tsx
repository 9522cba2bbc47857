import "../styles/account.css";
import { Menu } from "@base-ui/react/menu";
import { useMutation } from "@connectrpc/connect-query";
import { useRef, useState } from "react";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { signOut } from "../session/sign-in.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Problem } from "../ui/states.tsx";
import { type Memberships, useMemberships } from "./memberships.ts";
import { NewOrg, RenameOrg } from "./org-dialogs.tsx";
import { useTenantChange } from "./tenant-change.ts";

/** Who is signed in and in which organization, the ways to another one, and the way out. */
export function Account() {
  const { session, settings, may } = useCaller();
  const { label } = session.user;
  const memberships = useMemberships();
  const { current } = memberships;
  const changeTenant = useTenantChange();
  const switching = useMutation(OrgService.method.switchOrg, { onSuccess: () => changeTenant() });
  const [dialog, setDialog] = useState<"new" | "rename">();
  const trigger = useRef<HTMLButtonElement>(null);
  // In the header, so that the menu is in one of the page's regions.
  const place = useRef<HTMLDivElement>(null);
  const dialogProps = { finalFocus: () => trigger.current, onClose: () => setDialog(undefined) };
  return (
    <div className="account" ref={place}>
      {current && <span className="account-org">{current.name}</span>}
      <Menu.Root>
        <Menu.Trigger ref={trigger} className="button" aria-label={`Account of ${label}`}>
          <span className="account-label">{label}</span>
        </Menu.Trigger>
        <Menu.Portal container={place}>
          <Menu.Positioner className="account-positioner" align="end" sideOffset={4} collisionPadding={8}>
            <Menu.Popup className="menu account-menu">
              <Organizations {...memberships} onChoose={(orgId) => switching.mutate({ orgId })} />
              {current && may("org:write") && (
                <Menu.Item className="menu-item" onClick={() => setDialog("rename")}>
                  Rename organization
                </Menu.Item>
              )}
              <Menu.Item className="menu-item" onClick={() => setDialog("new")}>
                New organization
              </Menu.Item>
              <Menu.Separator className="menu-separator" />
              <Menu.Item className="menu-item" onClick={() => signOut(settings)}>
                Sign out
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
          <Menu.RadioItem key={orgId} value={orgId} label={name} className="menu-item account-choice" closeOnClick>
            <Menu.RadioItemIndicator className="account-mark" keepMounted>
              ✓
            </Menu.RadioItemIndicator>
            <span className="account-name">{name}</span> <span className="quiet">{role}</span>
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
