import { Code, ConnectError } from "@connectrpc/connect";

export interface WatchLimits {
  /** Maximum watchers of one connection. A gRPC client has one for each service whose health it checks. */
  readonly perConnectionMax: number;
  /** Maximum watchers of the process. */
  readonly watchersMax: number;
  /** Time after which a watch ends. */
  readonly ageMaxMs: number;
  /** Time between two checks of the status. */
  readonly intervalMs: number;
}

export const WATCH_LIMITS: WatchLimits = {
  perConnectionMax: 10,
  watchersMax: 1_000,
  ageMaxMs: 600_000,
  intervalMs: 5_000,
};

export interface Watcher {
  /** Aborted with a `ConnectError` of code `unavailable` when the watch must end. Clients then begin another one. */
  readonly ended: AbortSignal;
  leave(): void;
}

export interface Watchers {
  /** Throws a `ConnectError` of code `resource_exhausted` if the connection has `perConnectionMax` watchers. */
  join(connection: object | undefined, address: string | null): Watcher;
}

/**
 * Limits the number of watchers, because they need no credentials. When the process has `watchersMax`, a new watcher ends
 * the oldest one of the address with the most, so that no client can prevent others from watching, or end their watches.
 *
 * gRPC clients watch again whenever a watch ends, unless the code is `unimplemented`. If the watch had an answer, they watch
 * again at once.
 */
export function createWatchers({ perConnectionMax, watchersMax, ageMaxMs }: WatchLimits): Watchers {
  /** By address, in the order in which they joined. */
  const open = new Map<string | null, Set<(why: string) => void>>();
  let size = 0;
  const counts = new WeakMap<object, number>();
  const countOf = (connection: object): number => counts.get(connection) ?? 0;

  function endOldest(): void {
    let most: ReadonlySet<(why: string) => void> = new Set();
    for (const watchers of open.values()) if (watchers.size > most.size) most = watchers;
    const [oldest] = most;
    oldest?.("the server has too many watchers and this one was the oldest of its address; watch again");
  }

  return {
    join(connection = {}, address) {
      if (countOf(connection) >= perConnectionMax) {
        const message = `a connection has at most ${perConnectionMax} watchers; use Check`;
        throw new ConnectError(message, Code.ResourceExhausted);
      }
      if (size >= watchersMax) endOldest();

      const ended = new AbortController();
      const end = (why: string): void => {
        leave();
        ended.abort(new ConnectError(why, Code.Unavailable));
      };
      const leave = (): void => {
        clearTimeout(aging);
        if (!ofAddress.delete(end)) return;
        size -= 1;
        if (ofAddress.size === 0) open.delete(address);
        counts.set(connection, countOf(connection) - 1);
      };
      const aging = setTimeout(end, ageMaxMs, `a watch lasts ${ageMaxMs / 1_000} s; watch again`).unref();
      const ofAddress = open.get(address) ?? new Set();
      open.set(address, ofAddress.add(end));
      size += 1;
      counts.set(connection, countOf(connection) + 1);
      return { ended: ended.signal, leave };
    },
  };
}
