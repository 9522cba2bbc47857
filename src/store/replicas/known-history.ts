/** What a look shows of the history of its server. */
export interface History {
  /** Whether the server has the change that was asked for. */
  readonly hasNewest: boolean;
  /** The newest change that the server has. Null: it has none. */
  readonly newest: string | null;
  /** Identifies the cluster of which the server is a copy. Null: the server does not show it. */
  readonly system: string | null;
  /** Grows with each promotion. Null: the server does not show it. */
  readonly timeline: number | null;
}

/**
 * What this process knows of the history of its database: the newest promised change that it saw or made, and the newest timeline. A
 * server that lacks either went back, or is an old primary beside the one that replaced it (ADR 62).
 *
 * Timelines alone prove nothing, since two standbys that were promoted independently may have the same one.
 */
export class KnownHistory {
  #newest: string | null = null;
  #refused = 0;
  #timeline: number | null = null;
  readonly #timelines = new Map<string, number>();

  /** The id of the newest promised change. Null: none was seen, so nothing is asked of a server. */
  get newest(): string | null {
    return this.#newest;
  }

  /** How many looks were refused. */
  get refused(): number {
    return this.#refused;
  }

  /** That of the server of the last look. Null: it shows none. */
  get timeline(): number | null {
    return this.#timeline;
  }

  /** Call it when a change of this process was committed. */
  made(changeId: string): void {
    this.#newest = changeId;
  }

  /**
   * Takes over what a look shows, or returns why its server must not be used. `asked`: the newest change when the look was sent. One
   * that was made meanwhile is newer than what the look shows.
   */
  follow(history: History, asked: string | null): string | undefined {
    const problem = this.#problemOf(history);
    if (problem !== undefined) {
      this.#refused += 1;
      return problem;
    }
    const { system, timeline, newest } = history;
    if (system !== null && timeline !== null) this.#timelines.set(system, timeline);
    this.#timeline = timeline;
    if (this.#newest === asked) this.#newest = newest;
    return undefined;
  }

  #problemOf({ hasNewest, system, timeline }: History): string | undefined {
    if (!hasNewest) return "The server of DATABASE_URL lacks a change that was acknowledged.";
    const isOlder = system !== null && timeline !== null && timeline < (this.#timelines.get(system) ?? 0);
    return isOlder ? "The server of DATABASE_URL was replaced by another one." : undefined;
  }
}
