import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Subject } from "./invalidation.ts";

/** The subject of a tenant's records. A trigger makes the same one (`sql/migrations/0009-tenants.ts`). */
export function tenantSubject(tenantId: string): Subject {
  return hash("sha256", `tenant:${tenantId}`, "base64url");
}

/** Remembers the subjects of the tenants that were asked for last, since hashing costs a microsecond at each request. */
export function createTenantSubjects(): (tenantId: string) => Subject {
  const known = new LRUCache<string, Subject>({ max: 10_000 });
  return (tenantId) => {
    const remembered = known.get(tenantId);
    if (remembered !== undefined) return remembered;
    const subject = tenantSubject(tenantId);
    known.set(tenantId, subject);
    return subject;
  };
}
