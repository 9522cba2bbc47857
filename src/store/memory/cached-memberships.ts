import type { Memberships } from "../../domain/ports/orgs.ts";
import { rememberSubjects, userSubject } from "../subjects.ts";
import type { RecordCache } from "./record-cache.ts";
import { shareReads } from "./shared-reads.ts";

/** The memberships of users from the cache, which is filled from `members`. */
export function cacheMemberships(cache: Pick<RecordCache, "find">, members: Memberships): Memberships {
  const subjectOf = rememberSubjects(userSubject);
  const read = shareReads((userId) => members.findMemberships(userId));
  return {
    async findMemberships(userId) {
      const found = await cache.find(subjectOf(userId), () => read(userId));
      if (found === undefined) throw new Error("the store returns a list for every user");
      return found;
    },
  };
}
