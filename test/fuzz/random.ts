/** Numbers that a seed decides, so that a run can be repeated. */
export interface Random {
  /** A whole number from 0 on, below `end`. */
  below(end: number): number;
  /** True in this share of calls, 0 to 1. */
  chance(share: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/** mulberry32: 32 bits of state, more than enough to choose what to send. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    below,
    chance: (share) => next() < share,
    pick(items) {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error("there is nothing to choose from");
      return item;
    },
  };
}

/** The seed of this run: `FUZZ_SEED`, or one that changes with each run. */
export function seedOfRun(): number {
  const given = process.env.FUZZ_SEED;
  return given === undefined ? Date.now() % 2 ** 31 : Number(given);
}
