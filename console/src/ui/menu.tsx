import { Menu as BaseMenu } from "@base-ui/react/menu";
import { Ellipsis, type LucideIcon } from "lucide-react";
import { type ReactElement, type Ref, useRef } from "react";
import "../styles/menus.css";

export interface MenuAction {
  readonly label: string;
  readonly icon?: LucideIcon;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly onSelect: () => void;
}

interface MenuProps {
  /** Name of the button, such as `Actions of billing`. */
  readonly label: string;
  /** In order; `null` is a line between two groups. */
  readonly actions: readonly (MenuAction | null)[];
  /** The button's element, for a dialog's `finalFocus`: the item that opened it is gone then. */
  readonly triggerRef?: Ref<HTMLButtonElement>;
  /** Instead of three dots. */
  readonly trigger?: ReactElement;
}

/** A menu of actions behind a button, for a row or a title's line. Arrows, Home, End, letters and Escape work. */
export function Menu({ label, actions, triggerRef, trigger }: MenuProps) {
  // In the landmark of its button, so that the menu is in one of the page's regions.
  const place = useRef<HTMLElement | null>(null);
  const findPlace = (element: HTMLElement | null): void => {
    place.current = element?.closest<HTMLElement>("main, header, aside, [role=dialog], [role=alertdialog]") ?? null;
  };
  return (
    <span ref={findPlace}>
      <BaseMenu.Root>
        <BaseMenu.Trigger
          ref={triggerRef}
          className={trigger ? "button" : "button button-quiet button-icon"}
          aria-label={label}
        >
          {trigger ?? <Ellipsis />}
        </BaseMenu.Trigger>
        <BaseMenu.Portal container={place}>
          <BaseMenu.Positioner className="menu-positioner" align="end" sideOffset={4} collisionPadding={8}>
            <BaseMenu.Popup className="menu">
              {actions.map((action, index) =>
                action === null ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
                  <BaseMenu.Separator key={index} className="menu-separator" />
                ) : (
                  <Item key={action.label} action={action} />
                ),
              )}
            </BaseMenu.Popup>
          </BaseMenu.Positioner>
        </BaseMenu.Portal>
      </BaseMenu.Root>
    </span>
  );
}

function Item({ action }: { action: MenuAction }) {
  const { label, icon: Icon, isDanger = false, isDisabled = false, onSelect } = action;
  return (
    <BaseMenu.Item
      className={isDanger ? "menu-item menu-item-danger" : "menu-item"}
      disabled={isDisabled}
      onClick={onSelect}
    >
      {Icon && <Icon />}
      {label}
    </BaseMenu.Item>
  );
}
