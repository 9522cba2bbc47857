import { createConnectQueryKey } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";

/** Loads again what is shown about organizations, their members and invitations. Resolves when it is there. */
export function useRefreshMembers(): () => Promise<void> {
  const queries = useQueryClient();
  return () =>
    queries.invalidateQueries({ queryKey: createConnectQueryKey({ schema: OrgService, cardinality: undefined }) });
}
