import { callUnaryMethod, useQuery, useTransport } from "@connectrpc/connect-query";
import { keepPreviousData, useQuery as useOwnQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { atMost } from "../keys/at-most.ts";

/** As many as the service lists at once. */
const PER_PAGE = 100;
const FRESH_MS = 60_000;
const NONE: readonly string[] = [];
/** A tenant's calls take turns in the service: a page of names at once would hold up the page's other calls. */
const inTurn = atMost(3);

export interface KeyNames {
  /** By id; of the first 100 keys, and of those that were asked for. */
  readonly byId: ReadonlyMap<string, string>;
  /** Whether the tenant has no others. */
  readonly isComplete: boolean;
}

/** Names of the tenant's keys, for lists that have only their ids: `shown`, of any number of keys. Empty while they are loaded. */
export function useKeyNames(shown: readonly string[] = NONE): KeyNames {
  const isAllowed = useCaller().may("api_keys:read");
  const { data } = useQuery(
    ApiKeyService.method.listApiKeys,
    { perPage: PER_PAGE },
    { enabled: isAllowed, staleTime: FRESH_MS },
  );
  const isComplete = data !== undefined && (data.pagination?.total ?? 0) <= data.keys.length;
  const first = useMemo(() => new Map(data?.keys.map(({ keyId, name }) => [keyId, name])), [data]);
  const isOther = (id: string): boolean => id.startsWith("key_") && !first.has(id);
  const others = useOtherNames(data === undefined || isComplete ? NONE : [...new Set(shown.filter(isOther))].sort());
  return useMemo(() => ({ byId: new Map([...first, ...(others ?? [])]), isComplete }), [first, others, isComplete]);
}

/** Names that no list has, one call each. An id without a key has none. */
function useOtherNames(ids: readonly string[]): ReadonlyMap<string, string> | undefined {
  const transport = useTransport();
  const nameOf = async (keyId: string, signal: AbortSignal): Promise<readonly [string, string][]> => {
    const call = () => callUnaryMethod(transport, ApiKeyService.method.getApiKey, { keyId }, { signal });
    const { result } = await inTurn(call).catch(() => ({ result: undefined }));
    return result === undefined ? [] : [[keyId, result.name]];
  };
  const { data } = useOwnQuery({
    queryKey: ["key-names", ...ids],
    queryFn: async ({ signal }) => new Map((await Promise.all(ids.map((id) => nameOf(id, signal)))).flat()),
    enabled: ids.length > 0,
    staleTime: FRESH_MS,
    placeholderData: keepPreviousData,
  });
  return data;
}
