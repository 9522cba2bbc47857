import { randomUUID } from "node:crypto";
import type { Invalidation } from "./invalidation.ts";
import type { RecordCache } from "./record-cache.ts";

/**
 * Invalidates the cache where no other process can change records. A change whose outcome is unknown never ends: its
 * record is not cached again until the process ends.
 */
export function createSoleProcessInvalidation(cache: RecordCache): Invalidation {
  return {
    async beginChange(subject) {
      const id = randomUUID();
      cache.mark(subject, id);
      const end = async (): Promise<void> => cache.unmark(subject, id);
      return { markId: null, end, abandon: end };
    },
  };
}
