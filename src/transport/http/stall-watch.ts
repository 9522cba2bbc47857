/** Something that must make progress while it has work to do. */
export interface Watched {
  /** A value that changes with each progress. Undefined while there is nothing to do. */
  progress(): unknown;
  /** Called after the timeout without progress. */
  end(): void;
}

export interface StallWatch {
  /** Watches until the returned function is called. */
  watch(watched: Watched): () => void;
  stop(): void;
}

interface Seen {
  readonly progress: unknown;
  readonly sinceMs: number;
}

/** Longest interval between two checks. */
const CHECK_INTERVAL_MS = 2_000;

/**
 * Ends whatever makes no progress for `timeoutMs`, at most 2 s late.
 *
 * One interval checks all of them. A timer for each would be a cost on every request, and a socket's own timeout starts
 * again with each byte that the client sends.
 */
export function createStallWatch(timeoutMs: number): StallWatch {
  const open = new Map<Watched, Seen | undefined>();

  function checkAll(): void {
    const nowMs = performance.now();
    for (const [watched, seen] of open) {
      const progress = watched.progress();
      if (progress === undefined) {
        if (seen !== undefined) open.set(watched, undefined);
      } else if (seen === undefined || seen.progress !== progress) open.set(watched, { progress, sinceMs: nowMs });
      else if (nowMs - seen.sinceMs >= timeoutMs) watched.end();
    }
  }

  const interval = setInterval(checkAll, Math.min(CHECK_INTERVAL_MS, timeoutMs)).unref();
  return {
    watch(watched) {
      open.set(watched, undefined);
      return () => open.delete(watched);
    },
    stop: () => clearInterval(interval),
  };
}
