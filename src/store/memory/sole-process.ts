import { randomUUID } from "node:crypto";
import type { KeyInvalidation } from "../key-invalidation.ts";
import type { KeyCache } from "./key-cache.ts";

/**
 * Invalidates the cache where no other process can change keys. A change whose outcome is unknown never ends: its key is
 * not cached again until the process ends.
 */
export function createSoleProcessInvalidation(cache: KeyCache): KeyInvalidation {
  return {
    async beginChange(secretHash) {
      const id = randomUUID();
      cache.mark(secretHash, id);
      const end = async (): Promise<void> => cache.unmark(secretHash, id);
      return { markId: null, end, abandon: end };
    },
  };
}
