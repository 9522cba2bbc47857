import type { ReactNode } from "react";

/** A value as programs write it, such as a scope or a role. */
export function Chip({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <span className="chip" title={title}>
      {children}
    </span>
  );
}

/** The first `shown` values as chips, and how many more there are. All of them are in the title. */
export function Chips({ values, shown = values.length }: { values: readonly string[]; shown?: number }) {
  const hidden = values.length - shown;
  return (
    <span className="chips" title={values.join(", ")}>
      {values.slice(0, shown).map((value) => (
        <Chip key={value}>{value}</Chip>
      ))}
      {hidden > 0 && <span className="quiet small">+{hidden} more</span>}
    </span>
  );
}
