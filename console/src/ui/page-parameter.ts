/** The page of a list that the address names, from 1. Anything else is the first. */
export function pageOf(search: URLSearchParams, name: string): number {
  const page = Number(search.get(name) ?? 1);
  return Number.isInteger(page) && page > 0 && page < 2 ** 31 ? page : 1;
}

/** The address's parameters with another page; the first is not written. */
export function withPage(search: URLSearchParams, name: string, page: number): URLSearchParams {
  const changed = new URLSearchParams(search);
  if (page === 1) changed.delete(name);
  else changed.set(name, String(page));
  return changed;
}
