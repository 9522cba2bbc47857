import { useMutation } from "@connectrpc/connect-query";
import { useState } from "react";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Check, Pencil, Plus } from "../ui/icons.tsx";
import { MenuItem, MenuPopup, type MenuState } from "../ui/menu-popup.tsx";
import { Problem } from "../ui/states.tsx";
import type { Memberships } from "./memberships.ts";
import { NewOrg, RenameOrg } from "./org-dialogs.tsx";
import { useTenantChange } from "./tenant-change.ts";

/** Loaded when it is first opened. */
export function OrgMenu({ menu, memberships }: { readonly menu: MenuState; readonly memberships: Memberships }) {
  const { may } = useCaller();
  const { current } = memberships;
  const changeTenant = useTenantChange();
  const switching = useMutation(OrgService.method.switchOrg, { onSuccess: () => changeTenant() });
  const [dialog, setDialog] = useState<"new" | "rename">();
  const dialogProps = { finalFocus: () => menu.trigger.current, onClose: () => setDialog(undefined) };
  return (
    <>
      <MenuPopup menu={menu} label="Organizations" align="start">
        <Organizations {...memberships} onChoose={(orgId) => switching.mutate({ orgId })} />
        {current && may("org:write") && (
          <MenuItem onSelect={() => setDialog("rename")}>
            <Pencil />
            Rename organization
          </MenuItem>
        )}
        <MenuItem onSelect={() => setDialog("new")}>
          <Plus />
          New organization
        </MenuItem>
      </MenuPopup>
      <SwitchProblem error={switching.error} onClose={switching.reset} />
      {dialog === "new" && <NewOrg {...dialogProps} />}
      {dialog === "rename" && current && <RenameOrg name={current.name} {...dialogProps} />}
    </>
  );
}

function Organizations({ all, total, current, onChoose }: Memberships & { onChoose: (orgId: string) => void }) {
  if (all.length === 0) return null;
  return (
    <>
      <p className="menu-label">Organizations</p>
      {all.map(({ orgId, name, role }) => (
        <MenuItem
          key={orgId}
          className="menu-item org-choice"
          isChecked={orgId === current?.orgId}
          onSelect={() => onChoose(orgId)}
        >
          <Check className={orgId === current?.orgId ? "org-choice-mark" : "org-choice-mark org-choice-other"} />
          <bdi className="org-choice-name">{name}</bdi> <span className="quiet small">{role}</span>
        </MenuItem>
      ))}
      {total > all.length && (
        <p className="menu-label">
          These are {all.length} of {total.toLocaleString("en")}.
        </p>
      )}
      <hr className="menu-separator" />
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
