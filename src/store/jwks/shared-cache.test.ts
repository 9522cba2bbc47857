import { expect, test } from "vitest";
import { type Accounted, createSharedCache } from "./shared-cache.ts";

const ROOMY = { count: 100, bytes: 100 };

/** A cache of entries named by their account and a number. An entry has one byte by default. */
function setUp({ all = ROOMY, share = ROOMY } = {}) {
  const dropped: string[] = [];
  const cache = createSharedCache<Accounted & { id: string; bytes: number }>({ all, share }, ({ id }) => {
    dropped.push(id);
  });
  return {
    cache,
    dropped,
    add: (...ids: string[]) => {
      for (const id of ids) cache.add(id, { id, account: id.slice(0, 1), bytes: 1 });
    },
    grow(id: string, bytes: number) {
      const value = cache.get(id);
      if (value === undefined) throw new Error(`${id} was dropped`);
      value.bytes = bytes;
      cache.bound(value.account);
    },
  };
}

test("a full cache evicts an entry of the account that exceeds its share, not the least recently used one", () => {
  const { add, dropped } = setUp({ all: { count: 4, bytes: 100 }, share: { count: 2, bytes: 100 } });
  add("b1", "b2", "a1", "a2", "a3", "a4");
  expect(dropped).toEqual(["a1", "a2"]);
});

test("a full cache evicts the least recently used entry if every account keeps to its share", () => {
  const { cache, add, dropped } = setUp({ all: { count: 3, bytes: 100 } });
  add("a1", "b1", "c1");
  cache.get("a1");
  add("d1");
  expect(dropped).toEqual(["b1"]);
});

test("an account that grows beyond its share of the bytes loses its own least recently used entries", () => {
  const { add, grow, dropped } = setUp({ share: { count: 100, bytes: 10 } });
  add("b1", "a1", "a2", "a3");
  grow("b1", 10);
  grow("a3", 9);
  expect(dropped).toEqual(["a1"]);
});

test("accounts that keep to their shares cannot exceed the total bytes: the least recently used entry is evicted", () => {
  const { add, grow, dropped } = setUp({ all: { count: 100, bytes: 20 }, share: { count: 100, bytes: 10 } });
  add("a1", "b1", "c1");
  grow("a1", 8);
  grow("b1", 8);
  expect(dropped).toEqual([]);
  grow("c1", 8);
  expect(dropped).toEqual(["a1"]);
});
