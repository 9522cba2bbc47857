import type { ReactNode } from "react";
import type { Tone } from "./badge.tsx";
import { CircleAlert, CircleCheck, Info, TriangleAlert } from "./icons.tsx";

const ICONS = { good: CircleCheck, warn: TriangleAlert, bad: CircleAlert, info: Info };

interface BannerProps {
  readonly tone: Exclude<Tone, "quiet">;
  /** One sentence. */
  readonly title: ReactNode;
  /** Buttons or links that help. */
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** A fact about a whole page's subject, such as a key that leaked. It is there from the start: not announced. */
export function Banner({ tone, title, actions, children }: BannerProps) {
  const Icon = ICONS[tone];
  return (
    <div className={`banner notice-${tone}`}>
      <Icon />
      <div className="banner-text">
        <strong>{title}</strong>
        {children && <div>{children}</div>}
      </div>
      {actions && <div className="banner-actions">{actions}</div>}
    </div>
  );
}
