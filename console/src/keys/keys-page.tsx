import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Link } from "wouter";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { KeyRound, Plus, SearchX } from "../ui/icons.tsx";
import "../styles/key-list.css";
import "../styles/keys.css";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Pages } from "../ui/pages.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Filters } from "./filters.tsx";
import { ImportedKeys } from "./imported-keys.tsx";
import { useKeyDialogs } from "./key-dialogs.tsx";
import { type FilterState, useFilters } from "./key-filters.ts";
import { KeyTable } from "./key-table.tsx";
import { roomSentence, useRoom } from "./rules.ts";

const PER_PAGE = 50;

/** All keys of the tenant, a page at a time: the service searches and sorts, so that it does not matter how many there are. */
export function KeysPage() {
  const { may } = useCaller();
  const filters = useFilters();
  const room = useRoom();
  const { open, dialog } = useKeyDialogs();
  const query = useQuery(
    ApiKeyService.method.listApiKeys,
    { ...filters.request, page: filters.page, perPage: PER_PAGE },
    { placeholderData: keepPreviousData },
  );
  const top = useRef<HTMLDivElement>(null);
  const isFirst = useRef(true);
  // The next page is read from its top. The button that was pressed keeps the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page is what changes
  useEffect(() => {
    if (!isFirst.current) top.current?.scrollIntoView({ block: "nearest" });
    isFirst.current = false;
  }, [filters.page]);
  return (
    <>
      <PageHeader title="Keys" text={room && roomSentence(room)}>
        {may("api_keys:write") && (
          <Link className="button button-main" href="/keys/new">
            <Plus />
            Create key
          </Link>
        )}
      </PageHeader>
      <div ref={top}>
        <Filters filters={filters} />
      </div>
      {filters.values.imported !== "" && <ImportedKeys filters={filters} />}
      <Loaded query={query} what="the keys" skeleton={<Skeleton what="the keys" kind="table" rows={8} />}>
        {({ keys, pagination }) => (
          <>
            {keys.length === 0 && <NoKeys filters={filters} total={pagination?.total ?? 0} />}
            {keys.length > 0 && (
              <div aria-busy={query.isPlaceholderData}>
                <KeyTable keys={keys} onOpen={open} />
              </div>
            )}
            {keys.length > 0 && (
              <Pages pagination={pagination} onPage={(page) => filters.set({ page: String(page) })} />
            )}
          </>
        )}
      </Loaded>
      {dialog}
    </>
  );
}

/** The tenant has no keys, the filters find none, or the page is beyond the last. */
function NoKeys({ filters, total }: { filters: FilterState; total: number }) {
  const { may } = useCaller();
  if (total > 0)
    return (
      <EmptyState title={`There is no page ${filters.page.toLocaleString("en")}`} icon={SearchX}>
        <p>The list is shorter than that.</p>
        <Button onClick={() => filters.set({ page: "1" })}>Go to the first page</Button>
      </EmptyState>
    );
  if (filters.isSet)
    return (
      <EmptyState title={filters.values.since === "" ? "No key matches" : "No such key is unused"} icon={SearchX}>
        <p>Change the filters above, or clear them.</p>
        <Button onClick={() => filters.clear()}>Clear the filters</Button>
      </EmptyState>
    );
  return (
    <EmptyState title="No keys yet" icon={KeyRound}>
      <p>
        A secret key lets your backend call the platform. A publishable key is for apps, together with their user's
        token.
      </p>
      {may("api_keys:write") && (
        <Link className="button button-main" href="/keys/new">
          Create your first key
        </Link>
      )}
    </EmptyState>
  );
}
