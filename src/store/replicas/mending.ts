import { setTimeout as sleep } from "node:timers/promises";
import { type CachedRecord, restrictedRecord } from "../../domain/lost-changes/restricted-record.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import type { Subject } from "./invalidation.ts";
import type { KnownHistory } from "./known-history.ts";
import type { Clocks, Instant } from "./lease.ts";
import { type LostChange, PromisedChanges } from "./promised-changes.ts";
import { type RecentEvent, RecentEvents } from "./recent-events.ts";
import type { RecordCache, Restrictions } from "./record-cache.ts";
import type { LastLook, Look, Missing, ReplicaTable } from "./replica-table.ts";
import type { Position } from "./shared-history.ts";
import type { Times } from "./times.ts";

/** `already`: by another process. `nothing`: there is nothing that could be taken away. */
export type Restored = "restored" | "already" | "nothing";

/** Makes changes again that the database lost. Each method may throw `StoreUnavailable`. */
export interface RestoreChanges {
  /** Takes the rights away that the changes took away. Never gives any. */
  restore(lost: LostChange): Promise<Restored>;
  /**
   * Lists what cannot be made again, and returns how much no other process has listed. `had`: the calls whose changes the server has. Their events are lost
   * unless another process has made the changes again.
   */
  list(lost: readonly RecentEvent[], had: ReadonlySet<string>): Promise<number>;
}

/** What a server lacked, and what became of it. */
export interface Mended {
  readonly lacked: number;
  readonly restored: number;
  readonly lost: number;
}

export interface MendingOptions {
  readonly table: Pick<ReplicaTable, "findMissing">;
  readonly cache: Pick<RecordCache, "restrict">;
  readonly history: KnownHistory;
  readonly times: Pick<Times, "bound" | "poll">;
  readonly clocks: Pick<Clocks, "monotonicMs" | "wallMs">;
  /** Default: nothing is made again, and a server that lacks something is refused. */
  readonly changes: RestoreChanges | undefined;
  /** Called when a server that lacked something lacks nothing more. */
  readonly onMended?: ((mended: Mended) => void) | undefined;
  /** Called when this process begins to wait for the others, and when they have repaired the server. */
  readonly onHeld?: ((isHeld: boolean) => void) | undefined;
  /** Called when an attempt fails, before the next one. */
  readonly onFailure?: ((err: unknown) => void) | undefined;
}

/** What a look asked its server for: see `KnownHistory.follow`. */
interface Asked {
  readonly asked: string | null;
  readonly elsewhere: Position | undefined;
}

/** Events are read again from a bit before the last one, since they are not committed in the order of their times. */
const OVERLAP_MS = 2_000;

/**
 * Has a server that was promoted without the last changes get them again, from what this process remembers (ADR 63):
 *
 * 1. What it lacks restricts requests at once.
 * 2. Each change is made again. Then the process shows in its row that it has repaired the server.
 * 3. A process that may not have seen all changes uses the server only when all others have repaired it.
 */
export class Mending {
  readonly #options: MendingOptions;
  readonly #promised = new PromisedChanges();
  readonly #events = new RecentEvents();
  #server: string | undefined;
  #eventsFromMs: number | undefined;
  #mendedOn = "";
  /** When the last look was sent that showed this process in the list, and the last renewal that was confirmed. */
  #looked: Instant | undefined;
  #renewed: Instant | undefined;
  #isClosed = false;

  constructor(options: MendingOptions) {
    this.#options = options;
  }

  /** What the next look reads. */
  get last(): LastLook {
    return { server: this.#server, eventsFromMs: this.#eventsFromMs };
  }

  /** Whether this process remembers no changes. */
  get isFresh(): boolean {
    return this.#server === undefined;
  }

  /** The server that lacks nothing that this process remembers. */
  get mendedOn(): string {
    return this.#mendedOn;
  }

  /** Takes note of a look before it is applied. Throws `StoreUnavailable` if its server must not be used. */
  async meet(look: Look, asked: Asked, sent: Instant): Promise<void> {
    if (look.server === this.#server) this.#follow(look, asked);
    else await this.#begin(look, asked, sent);
    this.#promised.add(look.promised, look.nowMs);
    this.#events.add(look.events, look.nowMs);
    this.#eventsFromMs = look.nowMs - OVERLAP_MS;
    if (look.areOthersMended) this.#hold(false);
    if (look.isListed) this.#looked = sent;
  }

  renewed(sent: Instant): void {
    this.#renewed = sent;
  }

  #hold(isHeld: boolean): void {
    const { history, onHeld } = this.#options;
    if (history.isHeld !== isHeld) onHeld?.(isHeld);
    history.isHeld = isHeld;
  }

  close(): void {
    this.#isClosed = true;
  }

  #follow(look: Look, { asked, elsewhere }: Asked): void {
    const problem = this.#options.history.follow(look.history, asked, elsewhere);
    if (problem !== undefined) throw refused(problem);
  }

  async #begin(look: Look, { asked, elsewhere }: Asked, sent: Instant): Promise<void> {
    const { history, cache } = this.#options;
    const missing = await this.#findMissing();
    if (missing !== NOTHING_MISSING && missing.server !== look.server)
      throw refused("DATABASE_URL leads to several servers.");
    const lacks = missing.changeIds.size > 0;
    const isPromoted = history.isPromoted(look.history);
    const problem = lacks
      ? this.#problemOf(look, isPromoted, missing.changeIds)
      : history.follow(look.history, asked, elsewhere);
    if (problem !== undefined) {
      if (lacks) history.refuse();
      throw refused(problem);
    }
    const lost = this.#promised.lost(missing.changeIds, look.nowMs) ?? [];
    this.#hold(!look.areOthersMended && !this.#hasSeenAll(sent));
    this.#server = look.server;
    this.#mendedOn = lacks ? "" : look.server;
    history.isMending = lacks;
    cache.restrict(lacks ? restrictionsOf(lost) : undefined);
    if (lacks) history.adopt(look.history);
    if (lacks || (isPromoted && missing.eventIds.size > 0)) void this.#mend(look.server, lost, missing);
  }

  async #findMissing(): Promise<Missing> {
    const [changeIds, eventIds] = [this.#promised.ids, this.#events.ids];
    if (changeIds.length + eventIds.length === 0) return NOTHING_MISSING;
    return this.#options.table.findMissing(changeIds, eventIds);
  }

  /**
   * A server that lacks changes and was promoted is the new primary. Any other one may be an old primary, or a copy beside the one that
   * has them: they cannot be distinguished.
   */
  #problemOf({ nowMs }: Look, isPromoted: boolean, missing: ReadonlySet<string>): string | undefined {
    if (this.#options.changes === undefined || !isPromoted) return LACKS;
    return this.#promised.lost(missing, nowMs) === undefined ? LACKS_MORE : undefined;
  }

  /**
   * A change that this process did not see was answered after its row was removed, or the bound after the commit: not sooner than the
   * bound after its last look or its last renewal.
   */
  #hasSeenAll(now: Instant): boolean {
    const { bound } = this.#options.times;
    const isRecent = (then: Instant | undefined) =>
      then !== undefined && now.monotonicMs - then.monotonicMs < bound && now.wallMs - then.wallMs < bound;
    return isRecent(this.#looked) && isRecent(this.#renewed);
  }

  async #mend(server: string, lost: readonly LostChange[], { changeIds, eventIds }: Missing): Promise<void> {
    const { changes, cache, history, times, onMended, onFailure } = this.#options;
    if (changes === undefined) return;
    const open = new Set(lost);
    const requestIds = new Set<string>();
    const had = this.#promised.requestsBut(changeIds);
    let restored = 0;
    let listed = 0;
    while (this.#server === server && !this.#isClosed) {
      try {
        for (const change of open) {
          const outcome = await changes.restore(change);
          open.delete(change);
          if (outcome === "restored") restored += 1;
          if (outcome === "nothing") continue;
          const of = outcome === "restored" ? requestIds : had;
          for (const requestId of change.requestIds) of.add(requestId);
        }
        listed = await changes.list(this.#events.lost(eventIds, requestIds), had);
        break;
      } catch (err) {
        onFailure?.(err);
        await sleep(times.poll);
      }
    }
    if (this.#server !== server || this.#isClosed) return;
    const last = lost.at(-1)?.changeIds.at(-1);
    if (last !== undefined) history.made(last);
    cache.restrict(undefined);
    history.isMending = false;
    this.#mendedOn = server;
    onMended?.({ lacked: lost.flatMap(({ changeIds }) => changeIds).length, restored, lost: listed });
  }
}

const NOTHING_MISSING: Missing = { server: "", changeIds: new Set(), eventIds: new Set() };

const ACCEPT = "To accept it, stop all replicas, then start them.";
const LACKS = `The server of DATABASE_URL lacks acknowledged changes and was not promoted: it may be an old primary. ${ACCEPT}`;
const LACKS_MORE = `The server of DATABASE_URL lacks more changes than this replica remembers. ${ACCEPT}`;

function refused(problem: string): StoreUnavailable {
  return new StoreUnavailable(new Error(problem));
}

function restrictionsOf(lost: readonly LostChange[]): Restrictions {
  const restrictions = new Map<Subject, (record: CachedRecord) => CachedRecord>();
  for (const { promise } of lost) {
    if (promise === null) continue;
    const { subject, state } = promise;
    const earlier = restrictions.get(subject);
    restrictions.set(subject, (record) => restrictedRecord(state, earlier?.(record) ?? record));
  }
  return restrictions;
}
