import type { Position } from "./shared-history.ts";

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

/** No change has this id. */
const NOWHERE_MADE = "00000000-0000-0000-0000-000000000000";

/**
 * What this process knows of the history of its database: the newest promised change that it saw or made, and the newest timeline. A
 * server that lacks either went back, or is an old primary beside the one that replaced it (ADR 62).
 *
 * Timelines alone prove nothing, since two standbys that were promoted independently may have the same one.
 */
export class KnownHistory {
  /** Whether no server proves that it has all changes: other replicas may still put back some. */
  isHeld = false;
  /** Whether this process puts back some: a change that is made meanwhile would be older than they are. */
  isMending = false;
  #newest: string | null = null;
  #refused = 0;
  #timeline: number | null = null;
  /** Whether the last look was refused. */
  #isRefused = false;
  readonly #timelines = new Map<string, number>();

  /**
   * The change that a server must have to be read: the newest promised one. Null: none was seen. After a look that was refused no
   * server has it: an older timeline, or a change that others know of, shows in looks only.
   */
  get newest(): string | null {
    return this.#isRefused || this.isHeld ? NOWHERE_MADE : this.#newest;
  }

  /** The same for changes. */
  get newestToChange(): string | null {
    return this.isMending ? NOWHERE_MADE : this.newest;
  }

  /** The newest change that this process knows, for looks. */
  get asked(): string | null {
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

  /** The position that other processes have followed, unless this one has followed a newer timeline since. */
  unlessOlder(position: Position | undefined): Position | undefined {
    const known = position && this.#timelines.get(position.system);
    return known !== undefined && position !== undefined && position.timeline < known ? undefined : position;
  }

  /**
   * Takes over what a look shows, or returns why its server must not be used. `asked`: the newest change when the look was sent. One
   * that was made meanwhile is newer than what the look shows. `elsewhere`: what other processes have followed, whose newest change the
   * look has asked for, too.
   */
  follow(history: History, asked: string | null, elsewhere?: Position): string | undefined {
    const problem = this.#problemOf(history, elsewhere);
    this.#isRefused = problem !== undefined;
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

  /** Whether a server was promoted since the last one that was followed. */
  isPromoted({ system, timeline }: History): boolean {
    const known = system === null ? undefined : this.#timelines.get(system);
    return timeline !== null && known !== undefined && timeline > known;
  }

  /** Takes over the history of a promoted server, whatever it lacks. */
  adopt(history: History): void {
    this.#newest = history.newest;
    this.follow({ ...history, hasNewest: true }, this.#newest);
  }

  /** A look was refused for another reason. */
  refuse(): void {
    this.#refused += 1;
    this.#isRefused = true;
  }

  #problemOf({ hasNewest, system, timeline }: History, elsewhere: Position | undefined): string | undefined {
    if (!hasNewest) return "The server of DATABASE_URL lacks a change that was acknowledged.";
    if (system === null || timeline === null) return undefined;
    const known = this.#timelines.get(system) ?? 0;
    const isOlder = timeline < (elsewhere?.system === system ? Math.max(known, elsewhere.timeline) : known);
    return isOlder ? "The server of DATABASE_URL was replaced by another one." : undefined;
  }
}
