import type { Flow } from "./flows.ts";

/** Part of the bound from which on requests are counted. Below it, counting costs nothing. */
const COUNTED_FROM = 1 / 16;

/** How many of the requests under way are whose. */
export interface Shares {
  /** Whether so many requests are under way that it matters whose they are. */
  isCounting(underWay: number): boolean;
  /** Whether a line has more requests under way than places are left: then it gets no other. `underWay`: all, with the one that asks. */
  isTaken(flow: Flow, underWay: number): boolean;
  begin(flow: Flow): Place;
}

/** That of one request under way. */
export interface Place {
  /** Counts it as another line's: its caller is known now. */
  move(flow: Flow): void;
  /** Once. */
  end(): void;
}

/**
 * Divides the requests that a process may have under way among their lines: none gets more places than it leaves free (dynamic
 * thresholds; Choudhury and Hahne, IEEE/ACM Transactions on Networking 6, 1998). So one that takes all it can has half of them, two
 * have a third each, and there is always a place for another. Users and the operator have lines beside their tenant's.
 *
 * `max`: 0 is any number.
 */
export function createShares(max: number): Shares {
  const counts = new Map<string, number>();

  function add(line: string, change: 1 | -1): void {
    const count = (counts.get(line) ?? 0) + change;
    if (count === 0) counts.delete(line);
    else counts.set(line, count);
  }

  return {
    isCounting: (underWay) => max > 0 && underWay >= max * COUNTED_FROM,
    // Below half of them no line can have more than it leaves.
    isTaken: (flow, underWay) =>
      max > 0 && underWay * 2 > max && (counts.get(lineOf(flow)) ?? 0) > Math.max(0, max - underWay),
    begin(flow) {
      let line = lineOf(flow);
      add(line, 1);
      return {
        move(to) {
          add(line, -1);
          line = lineOf(to);
          add(line, 1);
        },
        end: () => add(line, -1),
      };
    },
  };
}

function lineOf({ name, isManager }: Flow): string {
  return isManager ? `manager ${name}` : name;
}
