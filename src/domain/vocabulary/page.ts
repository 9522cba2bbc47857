import { faultOf, type RequestFault } from "./request-fault.ts";

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

/** The page that a request asks for. Zero and an empty text are "not given". */
interface AskedPage {
  readonly page: number;
  readonly perPage: number;
  readonly pageToken: string;
}

/** A page by its number. A cursor in time has one point, so that neither is taken for the other. */
const TOKEN = /^page\.(\d{1,10})\.(\d{1,3})$/;
const PAGE_MAX = 2 ** 31 - 1;

/** The page that a request names by its number or by a token, which also has the number of items. */
export function askedPage({ page, perPage, pageToken }: AskedPage): PageRequest {
  if (pageToken === "") return pageRequest(page, perPage);
  const [, number = "", size = ""] = TOKEN.exec(Buffer.from(pageToken, "base64url").toString()) ?? [];
  const named = { page: Number(number), perPage: Number(size) };
  const isOfUs = named.page >= 1 && named.page <= PAGE_MAX && named.perPage >= 1 && named.perPage <= PER_PAGE_MAX;
  if (!isOfUs) throw foreignToken();
  if (page !== 0) throw tokenFault("names the page itself; leave page out");
  if (perPage !== 0 && pageRequest(0, perPage).perPage !== named.perPage) {
    throw tokenFault(`is of pages with ${named.perPage} items; send the same per_page, or leave it out`);
  }
  return named;
}

/** The token of the next page, empty on the last page. */
export function nextPageToken({ page, perPage }: PageRequest, total: number): string {
  return page * perPage < total ? Buffer.from(`page.${page + 1}.${perPage}`).toString("base64url") : "";
}

/** Of a list that is always answered as a whole, and so has given no token to anyone. */
export function refusePageToken({ pageToken }: Pick<AskedPage, "pageToken">): void {
  if (pageToken !== "") throw foreignToken();
}

function tokenFault(problem: string): RequestFault {
  return faultOf("invalid_page_token", "page_token", problem);
}

/** The fault of a token that this list has not answered. */
export function foreignToken(): RequestFault {
  return tokenFault("is not a token of this list; send next_page_token of the response before, or leave it out");
}

export function pagination(request: PageRequest, total: number): Pagination {
  return { ...request, total, totalPages: Math.ceil(total / request.perPage) };
}
