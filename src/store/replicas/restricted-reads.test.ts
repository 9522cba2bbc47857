import { describe, expect, test } from "vitest";
import type { Subject } from "./invalidation.ts";
import { createRecordCache, type RecordCache, type Restrictions } from "./record-cache.ts";

describe("a read under way while the database is found to lack a change", () => {
  const subject = "s" as Subject;
  const active = { isSuspended: false };
  const suspended = new Map([[subject, (record: object) => ({ ...record, isSuspended: true })]]) as Restrictions;

  test.each([
    ["that may fill the cache", () => {}, () => true],
    ["of a subject with a mark", (cache: RecordCache) => cache.mark(subject, "1"), () => true],
    ["without a lease", () => {}, () => false],
  ])(
    "%s returns nothing that was taken away, whether that becomes known or is made good meanwhile",
    async (_, begin, mayUse) => {
      const cache = createRecordCache({ mayUse });
      begin(cache);
      const read = async () => active;
      const before = cache.find("key", subject, read);
      cache.restrict(suspended);
      expect(await before).toEqual({ isSuspended: true });
      const during = cache.find("key", subject, read);
      cache.restrict(undefined);
      expect(await during).toEqual({ isSuspended: true });
      expect(await cache.find("key", subject, read)).toEqual(active);
    },
  );
});
