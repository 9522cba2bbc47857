import type { ReactNode, RefObject } from "react";
import { Ellipsis, type Icon } from "./icons.tsx";
import { MenuItem, MenuPopup, useMenu } from "./menu-popup.tsx";
import "../styles/menus.css";

export interface MenuAction {
  readonly label: string;
  readonly icon?: Icon;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly onSelect: () => void;
}

interface MenuProps {
  /** Name of the button, such as `Actions of billing`. */
  readonly label: string;
  /** In order; `null` is a line between two groups. */
  readonly actions: readonly (MenuAction | null)[];
  /** Gets the button, for a dialog's `finalFocus`. */
  readonly triggerRef?: RefObject<HTMLButtonElement | null>;
  /** Instead of three dots. */
  readonly trigger?: ReactNode;
}

/** A menu of actions behind a button, for a row or a title's line. Arrows, Home, End, letters and Escape work. */
export function Menu({ label, actions, triggerRef, trigger }: MenuProps) {
  const menu = useMenu(triggerRef);
  return (
    <>
      <button
        type="button"
        className={trigger ? "button" : "button button-quiet button-icon"}
        aria-label={label}
        {...menu.triggerProps}
      >
        {trigger ?? <Ellipsis />}
      </button>
      <MenuPopup menu={menu} label={label} align="end">
        {actions.map((action, index) =>
          action === null ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
            <hr key={index} className="menu-separator" />
          ) : (
            <Item key={action.label} action={action} />
          ),
        )}
      </MenuPopup>
    </>
  );
}

function Item({ action: { label, icon: Icon, isDanger, isDisabled, onSelect } }: { action: MenuAction }) {
  return (
    <MenuItem
      className={isDanger ? "menu-item menu-item-danger" : "menu-item"}
      isDisabled={isDisabled}
      onSelect={onSelect}
    >
      {Icon && <Icon />}
      {label}
    </MenuItem>
  );
}
