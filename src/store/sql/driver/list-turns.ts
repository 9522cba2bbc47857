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

interface Turn {
  readonly start: () => void;
}

interface Queue {
  isRunning: boolean;
  /** Lists that have ended. */
  ended: number;
  /** In the order of the calls. */
  readonly turns: Set<Turn>;
}

/**
 * Shares few connections among many owners (ADR 46). Each has one list at a time, and after it waits behind the others: however
 * many lists a tenant sends, another's next list waits for one of each at most.
 *
 * Only owners with a list are in memory. A turn costs O(lists at once).
 */
export function createListTurns(options: ListTurnsOptions): ListTurns {
  const { atOnce, waitingMax = WAITING_MAX, waitMs = CONNECT_TIMEOUT_MS } = options;
  /** Those whose turn was longest ago come first. */
  const queues = new Map<ListOwner, Queue>();
  let running = 0;
  let waiting = 0;

  function begin(owner: ListOwner, queue: Queue): void {
    running += 1;
    queue.isRunning = true;
    queues.set(owner, queue);
  }

  function end(owner: ListOwner, queue: Queue): void {
    running -= 1;
    queue.isRunning = false;
    queue.ended += 1;
    // Behind all others.
    queues.delete(owner);
    if (queue.turns.size > 0) queues.set(owner, queue);
    for (const { isRunning, turns } of queues.values()) {
      const [next] = turns;
      if (isRunning || next === undefined) continue;
      next.start();
      return;
    }
  }

  /** Resolves when the turn has begun. */
  function wait(owner: ListOwner, queue: Queue): Promise<void> {
    if (queue.turns.size >= waitingMax) throw new TooManyLists(waitMs);
    queues.set(owner, queue);
    const endedBefore = queue.ended;
    return new Promise((resolve, reject) => {
      let late: NodeJS.Immediate | undefined;
      const leave = (): void => {
        clearTimeout(timer);
        clearImmediate(late);
        queue.turns.delete(turn);
        waiting -= 1;
      };
      const turn: Turn = {
        start() {
          leave();
          begin(owner, queue);
          resolve();
        },
      };
      const giveUp = (): void => {
        const [first] = queue.turns;
        const isOwn = (queue.isRunning || first !== turn) && queue.ended > endedBefore;
        leave();
        if (!queue.isRunning && queue.turns.size === 0) queues.delete(owner);
        reject(isOwn ? new TooManyLists(waitMs) : new StoreUnavailable(new Error(ALL_BUSY), waitMs));
      };
      // A late event loop runs its timers before it reads what ends the lists that run.
      const timer = setTimeout(() => {
        late = setImmediate(giveUp);
      }, waitMs);
      queue.turns.add(turn);
      waiting += 1;
    });
  }

  return {
    async take(owner, work) {
      const queue = queues.get(owner) ?? { isRunning: false, ended: 0, turns: new Set() };
      if (running < atOnce && !queue.isRunning) begin(owner, queue);
      else await wait(owner, queue);
      try {
        return await work();
      } finally {
        end(owner, queue);
      }
    },
    waiting: () => waiting,
  };
}

const ALL_BUSY = "All connections for lists were busy, and none of this owner's lists ended.";
