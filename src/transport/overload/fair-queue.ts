/** The items of one flow, and how many of them were taken. */
interface Line<Item> {
  readonly flow: string;
  items: Item[];
  taken: number;
}

/** Taken items that a line keeps at most: removing each at once would move all others. */
const TAKEN_MAX = 1_024;

/**
 * A queue that serves its flows in turns: one item of each, then the next of each. A flow with a thousand items delays
 * another's first item by one item and not by a thousand (fair queuing; Nagle, RFC 970).
 */
export class FairQueue<Item> {
  readonly #lines = new Map<string, Line<Item>>();
  /** The lines in the order in which they are served next, from `#next` on. */
  #order: Line<Item>[] = [];
  #next = 0;
  #size = 0;
  #left = 0;

  get size(): number {
    return this.#size;
  }

  /** Items that the flow of the item taken last still has. */
  get left(): number {
    return this.#left;
  }

  add(flow: string, item: Item): void {
    const line = this.#lines.get(flow);
    if (line === undefined) {
      const added = { flow, items: [item], taken: 0 };
      this.#lines.set(flow, added);
      this.#order.push(added);
    } else line.items.push(item);
    this.#size += 1;
  }

  /** Undefined: the queue is empty. */
  take(): Item | undefined {
    const line = this.#order[this.#next];
    if (line === undefined) return undefined;
    this.#next += 1;
    const item = line.items[line.taken];
    line.taken += 1;
    this.#size -= 1;
    this.#left = line.items.length - line.taken;
    // Behind the others, or away: a flow without items takes no memory.
    if (this.#left > 0) this.#order.push(line);
    else this.#lines.delete(line.flow);
    this.#forgetTaken(line);
    return item;
  }

  #forgetTaken(line: Line<Item>): void {
    if (line.taken >= TAKEN_MAX) {
      line.items = line.items.slice(line.taken);
      line.taken = 0;
    }
    if (this.#next === this.#order.length || this.#next >= TAKEN_MAX) {
      this.#order = this.#order.slice(this.#next);
      this.#next = 0;
    }
  }
}
