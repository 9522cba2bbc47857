import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import "../styles/menus.css";

export interface Tab<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
}

interface TabsProps<Value extends string> {
  /** Name of the list of tabs. */
  readonly label: string;
  readonly tabs: readonly Tab<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  /** What the chosen tab shows. */
  readonly children: ReactNode;
}

/** Tabs over one panel. Arrows, Home and End choose; Tab goes on into the panel (the ARIA pattern with automatic activation). */
export function Tabs<Value extends string>({ label, tabs, value, onChange, children }: TabsProps<Value>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.value === value);
    const next = nextTab(event.key, at, tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    const chosen = tabs[next];
    if (chosen === undefined) return;
    onChange(chosen.value);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <div className="tabs">
      <div className="tab-list" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            className="tab"
            id={`${id}-${tab.value}`}
            aria-selected={tab.value === value}
            aria-controls={`${id}-panel`}
            tabIndex={tab.value === value ? 0 : -1}
            onClick={() => onChange(tab.value)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div className="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`}>
        {children}
      </div>
    </div>
  );
}

function nextTab(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case "ArrowRight":
      return (at + 1) % count;
    case "ArrowLeft":
      return (at + count - 1) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}
