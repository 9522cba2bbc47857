import type { ReactNode } from "react";
import { type Icon, Inbox } from "./icons.tsx";

interface EmptyStateProps {
  readonly title: string;
  readonly icon?: Icon;
  /** How to begin: text, and the button or link that does it. */
  readonly children: ReactNode;
}

/** Instead of a list without entries. */
export function EmptyState({ title, icon: Icon = Inbox, children }: EmptyStateProps) {
  return (
    <div className="empty-state">
      <Icon />
      <h2>{title}</h2>
      <div>{children}</div>
    </div>
  );
}
