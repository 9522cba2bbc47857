import { useRef } from "react";
import type { Pagination } from "../../../clients/typescript/src/gen/latchkey/v1/pagination_pb.ts";
import { Button } from "./button.tsx";

/**
 * Goes through the pages of a list, and shows the next one from its top: that of the element around it. Nothing where there
 * is one page. At an end, its button keeps the focus.
 */
export function Pages({ pagination, onPage }: { pagination: Pagination | undefined; onPage: (page: number) => void }) {
  const nav = useRef<HTMLElement>(null);
  if (pagination === undefined || pagination.totalPages <= 1) return null;
  const { page, totalPages, total } = pagination;
  const go = (to: number): void => {
    if (to < 1 || to > totalPages) return;
    onPage(to);
    nav.current?.parentElement?.scrollIntoView({ block: "start" });
  };
  return (
    <nav className="pages" aria-label="Pages" ref={nav}>
      <Button aria-disabled={page <= 1} onClick={() => go(page - 1)}>
        Previous
      </Button>
      <span role="status">
        Page {page} of {totalPages.toLocaleString("en")}, {total.toLocaleString("en")} in all
      </span>
      <Button aria-disabled={page >= totalPages} onClick={() => go(page + 1)}>
        Next
      </Button>
    </nav>
  );
}
