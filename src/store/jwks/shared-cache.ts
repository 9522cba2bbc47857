import { LRUCache } from "lru-cache";

/** Limits for a cache, or for one account's share of it. */
export interface Bounds {
  readonly count: number;
  readonly bytes: number;
}

export interface SharedCacheBounds {
  readonly all: Bounds;
  readonly share: Bounds;
}

export interface Accounted {
  /** The account whose share it counts in. */
  readonly account: string;
  readonly bytes: number;
}

/**
 * An LRU cache for many accounts. An account that exceeds its share loses its own entries first, so that it cannot evict
 * those of others.
 */
export interface SharedCache<T extends Accounted> {
  get(id: string): T | undefined;
  add(id: string, value: T): void;
  /** Enforces the limits. Call it when an entry of this account has grown. */
  bound(account: string): void;
}

/** `onDrop` is called once for each evicted entry. */
export function createSharedCache<T extends Accounted>(
  { all, share }: SharedCacheBounds,
  onDrop: (value: T) => void,
): SharedCache<T> {
  const cache = new LRUCache<string, T>({ max: all.count, dispose: onDrop });

  function drop(owns: (value: T) => boolean, most: Bounds): void {
    let count = 0;
    let bytes = 0;
    // The most recently used entry comes first.
    for (const [id, value] of [...cache.entries()]) {
      if (!owns(value)) continue;
      count += 1;
      bytes += value.bytes;
      if (count > most.count || bytes > most.bytes) cache.delete(id);
    }
  }

  function bound(account: string): void {
    drop((value) => value.account === account, share);
    drop(() => true, all);
  }

  return {
    get: (id) => cache.get(id),
    add(id, value) {
      // The account's own entries first: otherwise another account's would be evicted.
      drop(({ account }) => account === value.account, { ...share, count: share.count - 1 });
      cache.set(id, value);
      bound(value.account);
    },
    bound,
  };
}
