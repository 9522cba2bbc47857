import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { useCaller } from "./api/caller.tsx";
import type { PageEntry } from "./frame.tsx";
import { Account } from "./orgs/account.tsx";
import { OrgSwitcher } from "./orgs/org-switcher.tsx";
import { Button } from "./ui/button.tsx";
import { BookOpen, Menu, X } from "./ui/icons.tsx";
import { Mark } from "./ui/mark.tsx";

/** The organization, the pages and the account: beside the page, or a bar above it that opens, where there is less room. */
export function Sidebar({ pages }: { pages: readonly PageEntry[] }) {
  const [location] = useLocation();
  const { settings } = useCaller();
  const [isOpen, setOpen] = useState(false);
  const toggle = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes it
  useEffect(() => setOpen(false), [location]);
  useEffect(() => {
    if (!isOpen) return;
    const closeByKey = ({ key }: KeyboardEvent): void => {
      if (key !== "Escape") return;
      setOpen(false);
      toggle.current?.focus();
    };
    document.addEventListener("keydown", closeByKey);
    return () => document.removeEventListener("keydown", closeByKey);
  }, [isOpen]);
  return (
    <header className={isOpen ? "side side-open" : "side"}>
      <div className="side-bar">
        <Button
          ref={toggle}
          look="quiet"
          className="button-icon side-toggle"
          aria-label={isOpen ? "Close the menu" : "Open the menu"}
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? <X /> : <Menu />}
        </Button>
        <Link className="brand" href="/" aria-label="Latchkey">
          <Mark />
        </Link>
        <OrgSwitcher />
      </div>
      <div className="side-pages" id="navigation">
        <nav className="navigation" aria-label="Console">
          {pages.map(
            ({ path, name, icon: Icon }) =>
              name && (
                <Link key={path} href={path} aria-current={isAt(location, path) ? "page" : undefined}>
                  {Icon && <Icon />}
                  {name}
                </Link>
              ),
          )}
        </nav>
        <div className="side-links">
          {/* With a port for operators, it is there. */}
          {settings.area !== "tenant" && (
            <a href="/docs" target="_blank" rel="noreferrer">
              <BookOpen />
              API reference
            </a>
          )}
          <a href="/docs/errors" target="_blank" rel="noreferrer">
            <BookOpen />
            Errors and remedies
          </a>
        </div>
      </div>
      <Account />
    </header>
  );
}

function isAt(location: string, path: string): boolean {
  return path === "/" ? location === "/" : location === path || location.startsWith(`${path}/`);
}
