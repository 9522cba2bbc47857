import type { ReactNode } from "react";
import { Link } from "wouter";
import { ChevronLeft } from "./icons.tsx";
import { useTitle } from "./use-title.ts";

interface PageHeaderProps {
  /** The page's one heading of the first level, and the document's title. */
  readonly title: string;
  /** Beside the title. */
  readonly badge?: ReactNode;
  /** The list that the page is of. */
  readonly back?: { readonly href: string; readonly label: string };
  /** One or two sentences below. */
  readonly text?: ReactNode;
  /** Actions, at the end of the title's line. */
  readonly children?: ReactNode;
}

/** The head of a page. */
export function PageHeader({ title, badge, back, text, children }: PageHeaderProps) {
  useTitle(title);
  return (
    <div className="page-header">
      {back && (
        <nav aria-label="Breadcrumb">
          <Link className="page-header-back" href={back.href}>
            <ChevronLeft />
            {back.label}
          </Link>
        </nav>
      )}
      <div className="page-header-line">
        <div className="page-header-title">
          <h1>
            <bdi>{title}</bdi>
          </h1>
          {badge}
        </div>
        {children && <div className="actions">{children}</div>}
      </div>
      {text && <p className="page-header-text">{text}</p>}
    </div>
  );
}
