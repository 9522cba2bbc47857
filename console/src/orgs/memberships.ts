import { useQuery } from "@connectrpc/connect-query";
import type { Membership } from "../../../clients/typescript/src/gen/latchkey/v1/org_pb.ts";
import { OrgService } from "../../../clients/typescript/src/gen/latchkey/v1/org_service_pb.ts";
import { useCaller } from "../api/caller.tsx";

/** As many as the service lists at once. */
const PER_PAGE = 100;

export interface Memberships {
  /** The first 100, by name. */
  readonly all: readonly Membership[];
  /** How many there are. */
  readonly total: number;
  /** The one that the user's token is of. Undefined also where the provider's organizations are the tenants. */
  readonly current: Membership | undefined;
}

/** The user's organizations; none while they are loaded. */
export function useMemberships(): Memberships {
  const { tenantId } = useCaller();
  const { data } = useQuery(OrgService.method.listOrgs, { perPage: PER_PAGE });
  const all = data?.orgs ?? [];
  return { all, total: data?.pagination?.total ?? 0, current: all.find((org) => org.tenantId === tenantId) };
}
