import { LRUCache } from "lru-cache";

/** What a cache may hold, and one account of it. */
export interface Bounds {
  readonly count: number;
  readonly bytes: number;
}

export interface Accounted {
  /** Who made it. */
  readonly account: string;
  readonly bytes: number;
}

/**
 * A cache for many accounts: what was used longest ago is dropped, but an account that is beyond its own share loses its
 * own first, so that none pushes out the others'.
 */
export interface SharedCache<T extends Accounted> {
  get(id: string): T | undefined;
  add(id: string, value: T): void;
  /** To be called when something of this account has grown. */
  bound(account: string): void;
}

/** `onDrop` is called for what is dropped, once. */
export function createSharedCache<T extends Accounted>(
  { all, share }: { readonly all: Bounds; readonly share: Bounds },
  onDrop: (value: T) => void,
): SharedCache<T> {
  const cache = new LRUCache<string, T>({ max: all.count, dispose: onDrop });

  function drop(owns: (value: T) => boolean, most: Bounds): void {
    let count = 0;
    let bytes = 0;
    // What was used last comes first.
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
      // First those of the account: else somebody else's would make room for it.
      drop(({ account }) => account === value.account, { ...share, count: share.count - 1 });
      cache.set(id, value);
      bound(value.account);
    },
    bound,
  };
}
