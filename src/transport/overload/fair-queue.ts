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

  get size(): number {
    return this.#size;
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

  /** The oldest item of the flow whose turn it is. Undefined: the queue is empty. */
  take(): Item | undefined {
    const line = this.#nextLine();
    const item = line && this.#takeOldest(line);
    if (line !== undefined) this.#endTurn(line);
    return item;
  }

  /**
   * An item of the flow whose turn it is: its oldest, or its newest if the oldest is late, since all of them would be by their turns.
   * `refuse` takes the oldest before, if that is late. Undefined: nothing was left.
   */
  takeInTime(isLate: (item: Item) => boolean, refuse: ((item: Item) => void) | undefined): Item | undefined {
    const line = this.#nextLine();
    if (line === undefined) return undefined;
    let oldest = line.items[line.taken];
    if (refuse !== undefined && oldest !== undefined && isLate(oldest)) {
      this.#takeOldest(line);
      refuse(oldest);
      oldest = line.items[line.taken];
    }
    const taken = oldest !== undefined && isLate(oldest) ? this.#takeNewest(line) : this.#takeOldest(line);
    this.#endTurn(line);
    return taken;
  }

  /** Calls `ends` with each item, and removes those for which it returns true. */
  remove(ends: (item: Item) => boolean): void {
    this.#order = this.#order.slice(this.#next).filter((line) => {
      line.items = line.items.slice(line.taken).filter((item) => !ends(item));
      line.taken = 0;
      if (line.items.length === 0) this.#lines.delete(line.flow);
      return line.items.length > 0;
    });
    this.#next = 0;
    this.#size = this.#order.reduce((size, { items }) => size + items.length, 0);
  }

  #nextLine(): Line<Item> | undefined {
    const line = this.#order[this.#next];
    if (line !== undefined) this.#next += 1;
    return line;
  }

  #takeOldest(line: Line<Item>): Item | undefined {
    const item = line.items[line.taken];
    if (item === undefined) return undefined;
    line.taken += 1;
    this.#size -= 1;
    return item;
  }

  #takeNewest(line: Line<Item>): Item | undefined {
    if (line.taken === line.items.length) return undefined;
    this.#size -= 1;
    return line.items.pop();
  }

  /** Puts the flow behind the others, or away: one without items takes no memory. */
  #endTurn(line: Line<Item>): void {
    if (line.taken < line.items.length) this.#order.push(line);
    else this.#lines.delete(line.flow);
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
