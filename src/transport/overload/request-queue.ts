import { FairQueue } from "./fair-queue.ts";

/** Ms of work in a turn of the event loop; then the network is read before the rest. */
const SLICE_MS = 1;
/** Items between two looks at the clock. So few are always served, however late they are: to refuse them would help no other. */
const UNLOOKED = 8;
/** Multiple of `waitMsMax` for which requests may wait for each other, as a burst does. After that the process is overloaded. */
const BURST_WAITS = 2;
/** Items that an overloaded process refuses for each that it serves: so refusing takes half of its time at most. */
const SHED_MAX = 2;

export interface RequestQueueOptions<Item> {
  /** Serves an item. Must not throw. */
  readonly run: (item: Item) => void;
  /** Refuses an item, cheaply. Must not throw. */
  readonly shed: (item: Item) => void;
  /** Whose items are served in turns with those of others. Called only where items have to wait. */
  readonly flowOf: (item: Item) => string;
  /**
   * Whether the item is of the few that change what the many are checked against: those get every second turn. Called after
   * `flowOf`.
   */
  readonly isManagement: (item: Item) => boolean;
  /** When the item arrived, by `now`. */
  readonly arrivedAt: (item: Item) => number;
  /** Ms for which an item may wait in an overloaded process; twice as many in any. 0: any time. */
  readonly waitMsMax: number;
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
 * What does not fit into a slice waits, in one line for each flow, and the lines are served in turns: no client's requests wait for
 * all of another's.
 *
 * The process is overloaded when it has been behind for `BURST_WAITS` times `waitMsMax`: in each turn of the event loop requests were
 * left from the one before, or the turn itself came later than `waitMsMax` after the first of them had been read. An item that has
 * waited for longer than `waitMsMax` is shed then: its client would hardly wait for it, and all others would wait behind it
 * (ADR 49). The last one of a line is given the time of a burst: who sends one request after the other overloads nothing. Where too many
 * of a line are too late even to refuse them in time, its newest is served first: in their order all would be too late.
 */
export function createRequestQueue<Item>(options: RequestQueueOptions<Item>): (item: Item) => void {
  const { run, shed, flowOf, isManagement, arrivedAt, waitMsMax, now } = options;
  const burstMs = BURST_WAITS * waitMsMax;
  let arrived: Item[] = [];
  let isScheduled = false;
  const calls = new FairQueue<Item>();
  const management = new FairQueue<Item>();
  let isManagementNext = false;
  /** Since when each turn has been behind. Infinity: the last one was not. */
  let behindSince = Number.POSITIVE_INFINITY;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(turn);
  }

  function turn(): void {
    isScheduled = false;
    const begunAt = now();
    const items = arrived;
    arrived = [];
    if (hasLines() || isLate(items, begunAt)) {
      behindSince = Math.min(behindSince, begunAt);
      for (const item of items) enqueue(item);
      serveLines(begunAt);
    } else {
      behindSince = Number.POSITIVE_INFINITY;
      const served = serveInOrder(items, begunAt + SLICE_MS);
      for (let n = served; n < items.length; n++) enqueue(items[n] as Item);
    }
    if (hasLines()) schedule();
  }

  function hasLines(): boolean {
    return calls.size + management.size > 0;
  }

  /** Whether the event loop took too long from reading the first of many requests until this turn. */
  function isLate(items: readonly Item[], begunAt: number): boolean {
    const [first] = items;
    return waitMsMax > 0 && first !== undefined && items.length > UNLOOKED && begunAt - arrivedAt(first) > waitMsMax;
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
  }

  function serveLines(begunAt: number): void {
    const isOverloaded = waitMsMax > 0 && begunAt - behindSince > burstMs;
    let time = now();
    const endsAt = time + SLICE_MS;
    const shedLate = (item: Item, isLast: boolean): boolean => {
      const isTooLate = time - arrivedAt(item) > (isLast ? burstMs : waitMsMax);
      if (isTooLate) shed(item);
      return isTooLate;
    };
    for (let n = 1; time < endsAt && hasLines(); n++) {
      const queue = nextQueue();
      const item = isOverloaded ? queue.takeInTime(shedLate, SHED_MAX) : queue.take();
      if (item !== undefined && !(isOverloaded && shedLate(item, true))) run(item);
      if (n % UNLOOKED === 0) time = now();
    }
  }

  function nextQueue(): FairQueue<Item> {
    isManagementNext = !isManagementNext;
    const [first, second] = isManagementNext ? [management, calls] : [calls, management];
    return first.size > 0 ? first : second;
  }

  return (item) => {
    arrived.push(item);
    schedule();
  };
}
