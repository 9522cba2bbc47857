import "../styles/requests.css";
import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { RequestService } from "../../../clients/typescript/src/gen/latchkey/v1/request_service_pb.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Stale } from "../ui/loaded.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Loading, Problem } from "../ui/states.tsx";
import { FirstRequest } from "../usage/first-request.tsx";
import { FilterFields } from "./filter-fields.tsx";
import { type RequestFilters, useRequestFilters } from "./request-filters.ts";
import { RequestTable } from "./request-table.tsx";
import { TokenPages } from "./token-pages.tsx";

const PER_PAGE = 50;
/** While the newest are shown. */
const REFRESH_MS = 10_000;

/** Requests that the service denied, and a sample of the others, newest first: who asked for what, and why not. */
export function RequestsPage() {
  const filters = useRequestFilters();
  const { pageToken, values } = filters;
  const { data, error, refetch, isPlaceholderData } = useQuery(
    RequestService.method.listRequests,
    { ...filters.request, perPage: PER_PAGE },
    { placeholderData: keepPreviousData, ...(pageToken === "" && { refetchInterval: REFRESH_MS }) },
  );
  const list = useRef<HTMLElement>(null);
  const movesFocus = useRef(false);
  // The button that was used may be gone, and readers should begin at the top of what it brought.
  useEffect(() => {
    if (!movesFocus.current || isPlaceholderData) return;
    movesFocus.current = false;
    list.current?.focus();
    list.current?.scrollIntoView({ block: "nearest" });
  });
  const goTo = (token: string): void => {
    movesFocus.current = true;
    filters.goTo(token);
  };
  const clear = (): void => {
    movesFocus.current = true;
    filters.clear();
  };
  const isRefused = error !== null && (data === undefined || isPlaceholderData);
  const requests = isRefused ? undefined : data?.requests;
  return (
    <>
      <PageHeader title="Requests">{filters.isSet && <Button onClick={clear}>Clear filters</Button>}</PageHeader>
      <FilterFields filters={filters} />
      <section className="section" aria-label="Recent requests" tabIndex={-1} ref={list} aria-busy={isPlaceholderData}>
        {isRefused && <Problem error={error} retry={refetch} />}
        {data === undefined && error === null && <Loading what="requests" />}
        {requests !== undefined && <Stale error={error} retry={refetch} />}
        {requests?.length === 0 && <NoRequest filters={filters} />}
        {requests !== undefined && requests.length > 0 && (
          // Another list of rows for another request: what was open is closed.
          <RequestTable key={values.request} requests={requests} isFirstOpen={values.request !== ""} />
        )}
        <TokenPages pageToken={pageToken} next={isRefused ? "" : data?.nextPageToken} onPage={goTo} />
        {requests !== undefined && requests.length > 0 && (
          <p className="hint">
            Kept are the last 100 denials of each key, and of its admitted requests a sample of one a minute.
          </p>
        )}
      </section>
    </>
  );
}

function NoRequest({ filters: { isSet } }: { filters: RequestFilters }) {
  if (isSet) {
    return (
      <EmptyState title="No request matches">
        <p>Request ids are found whole. Admitted requests are a sample, and all are kept for some days.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No request yet">
      <FirstRequest />
    </EmptyState>
  );
}
