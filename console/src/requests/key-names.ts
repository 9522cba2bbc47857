import { useQuery } from "@connectrpc/connect-query";
import { useMemo } from "react";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { useCaller } from "../api/caller.tsx";

/** As many as the service lists at once. */
const PER_PAGE = 100;
const FRESH_MS = 60_000;

export interface KeyNames {
  /** By id; of the first 100 keys. */
  readonly byId: ReadonlyMap<string, string>;
  /** Whether the tenant has no others. */
  readonly isComplete: boolean;
}

/** Names of the tenant's keys, for lists that have their ids alone. Empty while they are loaded. */
export function useKeyNames(): KeyNames {
  const { may } = useCaller();
  const { data } = useQuery(
    ApiKeyService.method.listApiKeys,
    { perPage: PER_PAGE },
    { enabled: may("api_keys:read"), staleTime: FRESH_MS },
  );
  return useMemo(
    () => ({
      byId: new Map(data?.keys.map(({ keyId, name }) => [keyId, name])),
      isComplete: data !== undefined && (data.pagination?.total ?? 0) <= data.keys.length,
    }),
    [data],
  );
}
