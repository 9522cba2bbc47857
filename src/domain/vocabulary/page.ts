/** Items on a page when the caller names no number. */
const PER_PAGE_DEFAULT = 20;
/** Maximum number of items on a page; a larger number is lowered to it, and the answer says so. */
const PER_PAGE_MAX = 100;

/** A page to read: `page` from 1, `perPage` 1 to 100. */
export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
}

/** One page of a list and the number of items on all pages. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** Where a page stands in its list. */
export interface Pagination extends PageRequest {
  readonly total: number;
  readonly totalPages: number;
}

/** Applies the defaults and the upper bound. Zero means "not given"; the proto rejects negative numbers. */
export function pageRequest(page: number, perPage: number): PageRequest {
  return { page: page || 1, perPage: Math.min(perPage || PER_PAGE_DEFAULT, PER_PAGE_MAX) };
}

export function pagination(request: PageRequest, total: number): Pagination {
  return { ...request, total, totalPages: Math.ceil(total / request.perPage) };
}
