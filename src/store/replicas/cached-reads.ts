import type { Memberships } from "../../domain/orgs/org-store.ts";
import type { TenantStates } from "../../domain/tenants/tenant-store.ts";
import type { Awaitable } from "../../domain/vocabulary/awaitable.ts";
import type { Subject } from "./invalidation.ts";
import type { RecordCache } from "./record-cache.ts";
import { shareReads } from "./shared-reads.ts";
import { rememberSubjects, tenantSubject, userSubject } from "./subjects.ts";

type Cache = Pick<RecordCache, "find">;

/** The states of tenants from the cache, which is filled from `tenants`. */
export function cacheTenants(cache: Cache, tenants: TenantStates): TenantStates {
  return { findTenant: cacheReads(cache, tenantSubject, async (tenantId) => tenants.findTenant(tenantId)) };
}

/** The memberships of users from the cache, which is filled from `members`. */
export function cacheMemberships(cache: Cache, members: Memberships): Memberships {
  return { findMemberships: cacheReads(cache, userSubject, async (userId) => members.findMemberships(userId)) };
}

/** Reads through the cache of what has a record for each id. */
function cacheReads<Found extends object>(
  cache: Cache,
  subjectOf: (id: string) => Subject,
  read: (id: string) => Promise<Found>,
): (id: string) => Awaitable<Found> {
  const rememberedSubject = rememberSubjects(subjectOf);
  const sharedRead = shareReads(read);
  const checked = (found: Found | undefined): Found => {
    if (found === undefined) throw new Error("there is a record for each id");
    return found;
  };
  return (id) => {
    const found = cache.find(rememberedSubject(id), () => sharedRead(id));
    return found instanceof Promise ? found.then(checked) : checked(found);
  };
}
