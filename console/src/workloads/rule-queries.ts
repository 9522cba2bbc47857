import { createConnectQueryKey } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { FederationService } from "../../../clients/typescript/src/gen/latchkey/v1/federation_service_pb.ts";

/** Loads again what is shown about rules for workloads. Resolves when it is there. */
export function useRefreshRules(): () => Promise<void> {
  const queries = useQueryClient();
  const queryKey = createConnectQueryKey({ schema: FederationService, cardinality: undefined });
  return () => queries.invalidateQueries({ queryKey });
}
