import type { Pagination } from "../../../clients/typescript/src/gen/latchkey/v1/pagination_pb.ts";
import { Button } from "./button.tsx";

/** Goes through the pages of a list. Nothing where there is one page. */
export function Pages({ pagination, onPage }: { pagination: Pagination | undefined; onPage: (page: number) => void }) {
  if (pagination === undefined || pagination.totalPages <= 1) return null;
  const { page, totalPages, total } = pagination;
  return (
    <nav className="pages" aria-label="Pages">
      <Button disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Previous
      </Button>
      <span role="status">
        Page {page} of {totalPages.toLocaleString("en")}, {total.toLocaleString("en")} in all
      </span>
      <Button disabled={page >= totalPages} onClick={() => onPage(page + 1)}>
        Next
      </Button>
    </nav>
  );
}
