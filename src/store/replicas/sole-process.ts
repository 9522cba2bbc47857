import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Followers } from "./followers.ts";
import type { Invalidation } from "./invalidation.ts";
import type { RecordCache } from "./record-cache.ts";
import { TIMES } from "./times.ts";

/**
 * Invalidates the cache where no other process can change records. A change whose outcome is unknown never ends: its
 * record is not cached again until the process ends.
 *
 * With `followers`, a change waits for this process' edges; and the first ones until the leases have ended that an earlier
 * process may have given to edges.
 */
export function createSoleProcessInvalidation(
  cache: Pick<RecordCache, "mark" | "unmark">,
  followers?: Pick<Followers, "untilSettled">,
): Invalidation {
  const startedMs = performance.now();

  async function awaitEdges(edges: Pick<Followers, "untilSettled">): Promise<void> {
    await edges.untilSettled();
    const leftMs = startedMs + TIMES.lease - performance.now();
    if (leftMs > 0) await sleep(leftMs);
  }

  return {
    async beginChange(subject) {
      const id = randomUUID();
      cache.mark(subject, id);
      if (followers !== undefined) await awaitEdges(followers);
      const end = async (): Promise<void> => cache.unmark(subject, id);
      return { markId: null, end, abandon: end };
    },
  };
}
