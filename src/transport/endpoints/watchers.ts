import { Code, ConnectError } from "@connectrpc/connect";

export interface WatchLimits {
  /** Watchers of one connection. A gRPC client has one for each service whose health it checks. */
  readonly perConnectionMax: number;
  /** Watchers of the process. */
  readonly watchersMax: number;
  /** Time after which a watch ends. */
  readonly ageMaxMs: number;
  /** Time between two looks at the status. */
  readonly intervalMs: number;
}

export const WATCH_LIMITS: WatchLimits = {
  perConnectionMax: 10,
  watchersMax: 1_000,
  ageMaxMs: 600_000,
  intervalMs: 5_000,
};

export interface Watcher {
  /** Aborted with a `ConnectError`, `unavailable`, when the watch has to end; clients begin another one then. */
  readonly ended: AbortSignal;
  leave(): void;
}

export interface Watchers {
  /** Throws `resource_exhausted` where the connection has as many as it may have. */
  join(connection: object | undefined): Watcher;
}

/**
 * Bounds watchers, which need no credentials. A connection has a few. Where the process has as many as it may have, the oldest
 * ends, so that no client, whatever it opens, keeps others from watching.
 *
 * gRPC's clients watch again whenever a watch ends, unless it is unimplemented, and at once where it has had an answer.
 */
export function createWatchers({ perConnectionMax, watchersMax, ageMaxMs }: WatchLimits): Watchers {
  /** In the order in which they joined. */
  const open = new Set<(why: string) => void>();
  const counts = new WeakMap<object, number>();
  const countOf = (connection: object): number => counts.get(connection) ?? 0;

  return {
    join(connection = {}) {
      if (countOf(connection) >= perConnectionMax) {
        const message = `a connection has at most ${perConnectionMax} watchers; use Check`;
        throw new ConnectError(message, Code.ResourceExhausted);
      }
      const [oldest] = open;
      if (open.size >= watchersMax)
        oldest?.("the server has too many watchers and this one was the oldest; watch again");

      const ended = new AbortController();
      const end = (why: string): void => {
        leave();
        ended.abort(new ConnectError(why, Code.Unavailable));
      };
      const leave = (): void => {
        clearTimeout(aging);
        if (open.delete(end)) counts.set(connection, countOf(connection) - 1);
      };
      const aging = setTimeout(end, ageMaxMs, `a watch lasts ${ageMaxMs / 1_000} s; watch again`).unref();
      open.add(end);
      counts.set(connection, countOf(connection) + 1);
      return { ended: ended.signal, leave };
    },
  };
}
