/** What has to make progress as long as it has something to do. */
export interface Watched {
  /** A value that changes with every progress; undefined while there is nothing to do. */
  progress(): unknown;
  /** Ends it, after the time without progress. */
  end(): void;
}

export interface StallWatch {
  /** Watches until the function that it returns is called. */
  watch(watched: Watched): () => void;
  stop(): void;
}

interface Seen {
  readonly progress: unknown;
  readonly sinceMs: number;
}

/** The longest between two looks. */
const LOOK_MS = 2_000;

/**
 * Ends what makes no progress for the time, at most 2 s later.
 *
 * It looks every now and then: a timer for each would cost every request, and a socket's own timeout starts again with each
 * byte that the client sends.
 */
export function createStallWatch(timeoutMs: number): StallWatch {
  const open = new Map<Watched, Seen | undefined>();

  function look(): void {
    const nowMs = performance.now();
    for (const [watched, seen] of open) {
      const progress = watched.progress();
      if (progress === undefined) {
        if (seen !== undefined) open.set(watched, undefined);
      } else if (seen === undefined || seen.progress !== progress) open.set(watched, { progress, sinceMs: nowMs });
      else if (nowMs - seen.sinceMs >= timeoutMs) watched.end();
    }
  }

  const looking = setInterval(look, Math.min(LOOK_MS, timeoutMs)).unref();
  return {
    watch(watched) {
      open.set(watched, undefined);
      return () => open.delete(watched);
    },
    stop: () => clearInterval(looking),
  };
}
