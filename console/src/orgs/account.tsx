import "../styles/account.css";
import { useCaller } from "../api/caller.tsx";
import { signOut } from "../session/sign-in.ts";
import { LogOut } from "../ui/icons.tsx";
import { MenuItem, MenuPopup, useMenu } from "../ui/menu-popup.tsx";

/** Who is signed in, and the way out. */
export function Account() {
  const { session, settings } = useCaller();
  const { label, email } = session.user;
  const menu = useMenu();
  return (
    <div className="account">
      <button type="button" className="account-button" aria-label={`Account of ${label}`} {...menu.triggerProps}>
        <span className="account-initial" data-initial={label.slice(0, 1).toUpperCase()} />
        <span className="account-label">{label}</span>
      </button>
      <MenuPopup menu={menu} label="Account" align="start">
        <p className="menu-label">
          Signed in as <strong>{email ?? label}</strong>
        </p>
        <hr className="menu-separator" />
        <MenuItem onSelect={() => signOut(settings, session)}>
          <LogOut />
          Sign out
        </MenuItem>
      </MenuPopup>
    </div>
  );
}
