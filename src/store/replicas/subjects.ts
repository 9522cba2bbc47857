import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Subject } from "./invalidation.ts";

/** The subject of a tenant's records. A trigger makes the same one (`sql/migrations/0001-initial/changes.ts`). */
export function tenantSubject(tenantId: string): Subject {
  return subject("tenant", tenantId);
}

/**
 * The subject of what memberships decide about users of this id, whatever their issuer. A trigger makes the same one
 * (`sql/migrations/0001-initial/changes.ts`).
 */
export function userSubject(userId: string): Subject {
  return subject("user", userId);
}

/** The subject of a token of the service's own. A trigger makes the same one (`sql/migrations/0007-access-tokens.ts`). */
export function tokenSubject(tokenId: string): Subject {
  return subject("token", tokenId);
}

/** The subject of a federation rule. A trigger makes the same one (`sql/migrations/0007-access-tokens.ts`). */
export function ruleSubject(ruleId: string): Subject {
  return subject("rule", ruleId);
}

/** The subject of the list of key formats, which is one record. A trigger makes the same one (`sql/migrations/0017-imported-keys.ts`). */
export const FORMATS_SUBJECT: Subject = subject("formats", "");

function subject(kind: "tenant" | "user" | "token" | "rule" | "formats", id: string): Subject {
  return hash("sha256", `${kind}:${id}`, "base64url");
}

/** Remembers the subjects of the ids that were hashed last, since that costs a microsecond at each request. */
export function rememberSubjects(subjectOf: (id: string) => Subject): (id: string) => Subject {
  const known = new LRUCache<string, Subject>({ max: 10_000 });
  return (id) => {
    const remembered = known.peek(id);
    if (remembered !== undefined) return remembered;
    const made = subjectOf(id);
    known.set(id, made);
    return made;
  };
}
