import "../styles/account.css";
import "../styles/menus.css";
import { Menu } from "@base-ui/react/menu";
import { LogOut } from "lucide-react";
import { useRef } from "react";
import { useCaller } from "../api/caller.tsx";
import { signOut } from "../session/sign-in.ts";

/** Who is signed in, and the way out. */
export function Account() {
  const { session, settings } = useCaller();
  const { label, email } = session.user;
  // In the header, so that the menu is in one of the page's regions.
  const place = useRef<HTMLDivElement>(null);
  return (
    <div className="account" ref={place}>
      <Menu.Root>
        <Menu.Trigger className="account-button" aria-label={`Account of ${label}`}>
          <span className="account-initial" data-initial={label.slice(0, 1).toUpperCase()} />
          <span className="account-label">{label}</span>
        </Menu.Trigger>
        <Menu.Portal container={place}>
          <Menu.Positioner className="menu-positioner" align="start" sideOffset={4} collisionPadding={8}>
            <Menu.Popup className="menu">
              <p className="menu-label">
                Signed in as <strong>{email ?? label}</strong>
              </p>
              <Menu.Separator className="menu-separator" />
              <Menu.Item className="menu-item" onClick={() => signOut(settings)}>
                <LogOut />
                Sign out
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </div>
  );
}
