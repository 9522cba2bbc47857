import type { ReactNode } from "react";

/** Scrolls what is wider than the page, such as a table, also by keyboard. */
export function ScrollRegion({
  label,
  className = "",
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className={`scroll ${className}`.trim()} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
