import {
  type ComponentProps,
  createContext,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { useTimeout } from "./use-timeout.ts";

/** Ms after which letters begin a new word. */
const WORD_MS = 800;
const GAP_PX = 4;
const EDGE_PX = 8;

export interface MenuState {
  readonly id: string;
  readonly isOpen: boolean;
  readonly trigger: RefObject<HTMLButtonElement | null>;
  readonly triggerProps: ComponentProps<"button">;
  setOpen(isOpen: boolean): void;
}

/** A button and its menu: the parts that share a state. */
export function useMenu(triggerRef?: RefObject<HTMLButtonElement | null>): MenuState {
  const id = useId();
  const own = useRef<HTMLButtonElement>(null);
  const trigger = triggerRef ?? own;
  const [isOpen, setOpen] = useState(false);
  const triggerProps: ComponentProps<"button"> = {
    ref: trigger,
    "aria-haspopup": "menu",
    "aria-expanded": isOpen,
    "aria-controls": isOpen ? id : undefined,
    onClick: () => setOpen(!isOpen),
    onKeyDown: (event) => {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      event.preventDefault();
      setOpen(true);
    },
  };
  return { id, isOpen, trigger, triggerProps, setOpen };
}

const CloseContext = createContext<() => void>(() => undefined);

interface MenuPopupProps {
  readonly menu: MenuState;
  readonly label: string;
  /** The side of the button that it is aligned with. */
  readonly align: "start" | "end";
  readonly children: ReactNode;
}

/**
 * The menu of a button, by the ARIA pattern. It is a popover: the browser shows it above everything, wherever it is in the
 * document, and closes it for a click beside it.
 */
export function MenuPopup({ menu, label, align, children }: MenuPopupProps) {
  const { id, isOpen, trigger, setOpen } = menu;
  const popup = useRef<HTMLDivElement>(null);
  const [word, setWord] = useState("");
  useTimeout(() => setWord(""), word === "" ? undefined : WORD_MS);
  useEffect(() => {
    const element = popup.current;
    if (!isOpen || element === null) return;
    const onToggle = ({ newState }: ToggleEvent): void => setOpen(newState === "open");
    element.showPopover();
    element.addEventListener("toggle", onToggle);
    place(element, trigger.current, align);
    (element.querySelector<HTMLElement>("[aria-checked=true]") ?? itemsOf(element)[0])?.focus();
    return () => element.removeEventListener("toggle", onToggle);
  }, [isOpen, trigger, align, setOpen]);
  const close = (): void => {
    popup.current?.hidePopover();
    setOpen(false);
    trigger.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape" || event.key === "Tab") {
      event.stopPropagation();
      close();
      return;
    }
    const items = itemsOf(popup.current);
    const at = items.findIndex((item) => item.matches(":focus"));
    const isLetter = event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey;
    const typed = isLetter ? word + event.key.toLowerCase() : "";
    const next = isLetter ? itemOf(items, typed) : moved(event.key, at, items.length);
    setWord(typed);
    if (next === undefined || next < 0) return;
    event.preventDefault();
    items[next]?.focus();
  };
  if (!isOpen) return null;
  return (
    <div ref={popup} id={id} popover="auto" role="menu" aria-label={label} className="menu" onKeyDown={onKeyDown}>
      <CloseContext value={close}>{children}</CloseContext>
    </div>
  );
}

interface MenuItemProps {
  readonly className?: string;
  readonly isDisabled?: boolean | undefined;
  /** Of a choice of one: whether this is it. */
  readonly isChecked?: boolean;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

/** An action or a choice. The menu is closed, and its button has the focus, before it is made. */
export function MenuItem({
  className = "menu-item",
  isDisabled = false,
  isChecked,
  onSelect,
  children,
}: MenuItemProps) {
  const close = useContext(CloseContext);
  const select = (): void => {
    if (isDisabled) return;
    close();
    onSelect();
  };
  return (
    <button
      type="button"
      className={className}
      {...(isChecked === undefined ? { role: "menuitem" } : { role: "menuitemradio", "aria-checked": isChecked })}
      aria-disabled={isDisabled}
      tabIndex={-1}
      onClick={select}
      onPointerEnter={({ currentTarget }) => currentTarget.focus({ preventScroll: true })}
    >
      {children}
    </button>
  );
}

function itemsOf(popup: HTMLElement | null): HTMLElement[] {
  return [...(popup?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
}

function itemOf(items: readonly HTMLElement[], word: string): number {
  return items.findIndex((item) => item.textContent?.trim().toLowerCase().startsWith(word));
}

function moved(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case "ArrowDown":
      return (at + 1) % count;
    case "ArrowUp":
      return (at + count - 1) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}

/** Below the button, or above it where there is no room, and within the window. */
function place(popup: HTMLElement, trigger: HTMLElement | null, align: "start" | "end"): void {
  if (trigger === null) return;
  const button = trigger.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popup;
  const wished = align === "start" ? button.left : button.right - width;
  const left = Math.max(EDGE_PX, Math.min(wished, innerWidth - width - EDGE_PX));
  const below = button.bottom + GAP_PX;
  const top = below + height + EDGE_PX <= innerHeight ? below : Math.max(EDGE_PX, button.top - height - GAP_PX);
  popup.style.left = `${left}px`;
  popup.style.top = `${top}px`;
}
