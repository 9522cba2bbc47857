import type { UsedOnce } from "../../src/domain/access-tokens/used-once.ts";

/** What was used once, in memory. */
export function createMemoryUsedOnce(): UsedOnce {
  const used = new Set<string>();
  return {
    isUsed: async (hash) => used.has(Buffer.from(hash).toString("hex")),
    async use(hash) {
      const text = Buffer.from(hash).toString("hex");
      const isFirst = !used.has(text);
      used.add(text);
      return isFirst;
    },
  };
}
