import { Backlog, type BacklogOptions } from "./backlog.ts";
import { FairQueue } from "./fair-queue.ts";

/** Ms of work in a turn of the event loop; then the network is read before the rest. */
const SLICE_MS = 1;
/** Items between two looks at the clock. */
const UNLOOKED = 8;
/** Items that may wait on any machine, however long it takes for them. So many a client may send at once. */
const BURST_ITEMS = 1_000;
/** Items that are refused for each that is served: refusing costs half as much, so most of the time stays for serving. */
const REFUSED_PER_SERVED = 1 / 2;

export interface RequestQueueOptions<Item> extends BacklogOptions {
  /** Serves an item. Must not throw. */
  readonly run: (item: Item) => void;
  /** Refuses an item, cheaply. Must not throw. */
  readonly shed: (item: Item) => void;
  /** Whether the client has gone. Called only for items that had to wait. */
  readonly isGone: (item: Item) => boolean;
  /** Ends an item whose client has gone. Must not throw. */
  readonly drop: (item: Item) => void;
  /** Whose items are served in turns with those of others. Called only where items have to wait. */
  readonly flowOf: (item: Item) => string;
  /**
   * Whether the item is of the few that change what the many are checked against: those get every second turn. Called after
   * `flowOf`.
   */
  readonly isManagement: (item: Item) => boolean;
  /** When the item arrived, by `now`. */
  readonly arrivedAt: (item: Item) => number;
  /** For how many ms its client waits, by its own word. Infinity: it does not say. */
  readonly timeoutMs: (item: Item) => number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/**
 * Returns a function that takes an item and has `run` called with it at the end of the current tick of the event loop, in
 * the order of the calls.
 *
 * Requests that arrived together then run behind each other instead of each between two reads of the network: code and data
 * stay in the processor's caches, the answers are written back to back, and small bodies have arrived, too. Where a request
 * waits for nothing else, this more than halves its cost (docs/benchmarks.md).
 *
 * Requests beyond a slice wait, in one line for each flow, and the lines are served in turns: no client's requests wait for all
 * of another's. That is the first defence, and items whose clients have gone are dropped. Items are refused only in an overload
 * (`Backlog`; ADR 49), while more of them wait than a client may send at once: first all whose clients do not wait any more by
 * their own word, then those that have waited for longer than `waitMsMax`. Where those are too many to be refused in time, the
 * newest of a line is served first: in their order all would be too late.
 */
export function createRequestQueue<Item>(options: RequestQueueOptions<Item>): (item: Item) => void {
  const { run, shed, isGone, drop, flowOf, isManagement, arrivedAt, timeoutMs, waitMsMax, now } = options;
  let arrived: Item[] = [];
  let isScheduled = false;
  const calls = new FairQueue<Item>();
  const management = new FairQueue<Item>();
  let isManagementNext = false;
  const backlog = new Backlog(options);
  /** Of this turn, looked at now and then. */
  let time = 0;
  /** How many may be refused for those that were served. */
  let refusals = 0;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(turn);
  }

  function turn(): void {
    isScheduled = false;
    const items = arrived;
    arrived = [];
    if (waiting() > 0) {
      for (const item of items) enqueue(item);
      serveLines();
      if (waiting() === 0) backlog.end();
    } else {
      const served = serveInOrder(items, now() + SLICE_MS);
      for (let n = served; n < items.length; n++) enqueue(items[n] as Item);
    }
    if (waiting() > 0) schedule();
  }

  function waiting(): number {
    return calls.size + management.size;
  }

  /** Returns how many were served before the slice ended. */
  function serveInOrder(items: readonly Item[], endsAt: number): number {
    let served = 0;
    for (const item of items) {
      if (served > 0 && served % UNLOOKED === 0 && now() >= endsAt) break;
      run(item);
      served += 1;
    }
    return served;
  }

  function enqueue(item: Item): void {
    const flow = flowOf(item);
    (isManagement(item) ? management : calls).add(flow, item);
    backlog.join();
  }

  function serveLines(): void {
    time = now();
    const endsAt = time + SLICE_MS;
    if (backlog.look(time) && isOverload()) for (const queue of [calls, management]) queue.remove(endUnwanted);
    for (let n = 1; time < endsAt && waiting() > 0; n++) {
      const queue = nextQueue();
      const item = isOverload() ? queue.takeInTime(isLate, refusals < 1 ? undefined : refuse) : queue.take();
      if (item !== undefined) serve(item);
      if (n % UNLOOKED === 0) time = now();
    }
  }

  function isOverload(): boolean {
    return backlog.isOverload && waiting() > BURST_ITEMS;
  }

  function nextQueue(): FairQueue<Item> {
    isManagementNext = !isManagementNext;
    const [first, second] = isManagementNext ? [management, calls] : [calls, management];
    return first.size > 0 ? first : second;
  }

  function serve(item: Item): void {
    backlog.serve(waitMs(item));
    if (isGone(item)) {
      drop(item);
      return;
    }
    refusals = Math.min(refusals + REFUSED_PER_SERVED, 1);
    run(item);
  }

  function refuse(item: Item): void {
    backlog.refuse(waitMs(item));
    refusals -= 1;
    shed(item);
  }

  /** Ends an item for which no client waits. Returns whether it was one. */
  function endUnwanted(item: Item): boolean {
    if (isGone(item)) serve(item);
    else if (waitMs(item) > timeoutMs(item)) refuse(item);
    else return false;
    return true;
  }

  function isLate(item: Item): boolean {
    return waitMs(item) > waitMsMax;
  }

  function waitMs(item: Item): number {
    return time - arrivedAt(item);
  }

  return (item) => {
    arrived.push(item);
    schedule();
  };
}
