import { Semaphore } from "../../../concurrency/semaphore.ts";
import type { UserKey } from "../../../domain/tokens/user-key.ts";
import { StoreUnavailable } from "../../../domain/vocabulary/store-unavailable.ts";
import { TooManyLists } from "../../../domain/vocabulary/too-many-lists.ts";
import { CONNECT_TIMEOUT_MS } from "./sql-errors.ts";

/** Whose list it is: each owner has a queue of their own. */
export type ListOwner = `tenant ${string}` | `user ${string}` | typeof OPERATOR | typeof SERVICE;

export const OPERATOR = "operator";
/** This process, for its metrics and for removing what is old. */
export const SERVICE = "service";

export function ofTenant(tenantId: string): ListOwner {
  return `tenant ${tenantId}`;
}

export function ofUser({ issuer, userId }: UserKey): ListOwner {
  return `user ${issuer} ${userId}`;
}

/** A page of the console asks for a few lists at once, each a few milliseconds: a hundred are a burst of many people. */
const WAITING_MAX = 100;

export interface ListTurnsOptions {
  /** Lists that run at the same time, of all owners. */
  readonly atOnce: number;
  /** Maximum number of lists of one owner that wait. */
  readonly waitingMax?: number;
  /** Longest time that a list waits. */
  readonly waitMs?: number;
}

export interface ListTurns {
  /**
   * Runs a list when it is its turn. Throws `TooManyLists` where those of the same owner are too many, and `StoreUnavailable`
   * where those of others take too long, or one of the owner's own takes as long as this one waits: then the storage hangs.
   */
  take<T>(owner: ListOwner, work: () => Promise<T>): Promise<T>;
  /** Lists that wait, of all owners. */
  waiting(): number;
}

/** The lists of one owner. */
interface Line {
  /** Held by the list that runs, or that waits for others' only. */
  readonly turn: Semaphore;
  waiting: number;
  /** Lists that have ended. */
  ended: number;
}

/**
 * Shares few connections among many owners (ADR 46). Each has one list at a time, and after it waits behind the others: however
 * many lists a tenant sends, another's next list waits for one of each at most. So a list waits for its owner's turn first, and
 * only then, one of each owner, for a connection.
 *
 * Only owners with a list are in memory.
 */
export function createListTurns(options: ListTurnsOptions): ListTurns {
  const { atOnce, waitingMax = WAITING_MAX, waitMs = CONNECT_TIMEOUT_MS } = options;
  const connections = new Semaphore(atOnce);
  const lines = new Map<ListOwner, Line>();
  let waiting = 0;

  /** Resolves when the list may run. */
  async function wait(line: Line): Promise<void> {
    if (line.waiting >= waitingMax) throw new TooManyLists(waitMs);
    const endedBefore = line.ended;
    const late = new AbortController();
    // A late event loop runs its timers before it reads what ends the lists that run.
    let giveUp: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      giveUp = setImmediate(() => late.abort());
    }, waitMs);
    let isOwn = true;
    line.waiting += 1;
    waiting += 1;
    try {
      await line.turn.enter(late.signal);
      isOwn = false;
      await connections.enter(late.signal);
    } catch {
      if (!isOwn) line.turn.leave();
      if (isOwn && line.ended > endedBefore) throw new TooManyLists(waitMs);
      throw new StoreUnavailable(new Error(ALL_BUSY), waitMs);
    } finally {
      clearTimeout(timer);
      clearImmediate(giveUp);
      line.waiting -= 1;
      waiting -= 1;
    }
  }

  return {
    async take(owner, work) {
      const line = lines.get(owner) ?? { turn: new Semaphore(1), waiting: 0, ended: 0 };
      lines.set(owner, line);
      try {
        if (!line.turn.isFree || !connections.isFree) await wait(line);
        else {
          line.turn.enter();
          connections.enter();
        }
        try {
          return await work();
        } finally {
          line.ended += 1;
          connections.leave();
          line.turn.leave();
        }
      } finally {
        if (line.turn.isIdle) lines.delete(owner);
      }
    },
    waiting: () => waiting,
  };
}

const ALL_BUSY = "All connections for lists were busy, and none of this owner's lists ended.";
