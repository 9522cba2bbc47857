import { type ReactNode, useId } from "react";

interface CardProps {
  /** A card with a title is a section of that name. */
  readonly title?: ReactNode;
  /** Of the heading, which can get the focus by it. */
  readonly titleId?: string;
  /** At the end of the title's line. */
  readonly actions?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A surface for one subject. */
export function Card({ title, titleId, actions, className = "", children }: CardProps) {
  const ownId = useId();
  const id = titleId ?? ownId;
  if (title === undefined) return <div className={`card ${className}`.trim()}>{children}</div>;
  return (
    <section className={`card ${className}`.trim()} aria-labelledby={id}>
      <div className="card-header">
        <h2 id={id} tabIndex={-1}>
          {title}
        </h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
