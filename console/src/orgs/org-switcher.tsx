import "../styles/account.css";
import { lazy, Suspense, useRef } from "react";
import { useCaller } from "../api/caller.tsx";
import { ChevronsUpDown } from "../ui/icons.tsx";
import { useMenu } from "../ui/menu-popup.tsx";
import { useMemberships } from "./memberships.ts";

const OrgMenu = lazy(async () => ({ default: (await import("./org-menu.tsx")).OrgMenu }));

/** The organization that one works in and one's role there, and the ways to another. */
export function OrgSwitcher() {
  const { tenantId } = useCaller();
  const memberships = useMemberships();
  const { current } = memberships;
  const menu = useMenu();
  // Its dialogs outlive the menu.
  const wasOpen = useRef(false);
  wasOpen.current ||= menu.isOpen;
  return (
    <div className="org-switcher">
      <button type="button" className="org-switcher-button" {...menu.triggerProps}>
        <span className="org-switcher-text">
          <span className="hidden">Organization </span>
          <span className="org-switcher-name">{current?.name ?? (tenantId === "" ? "No organization" : tenantId)}</span>{" "}
          {current && <span className="org-switcher-role">{current.role}</span>}
        </span>
        <ChevronsUpDown />
      </button>
      <Suspense fallback={null}>{wasOpen.current && <OrgMenu menu={menu} memberships={memberships} />}</Suspense>
    </div>
  );
}
