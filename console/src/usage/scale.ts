/** Where the lines of a chart of counts are. */
export interface CountScale {
  /** The count at the top. */
  readonly top: number;
  /** Counts with a line, ascending, from 0. */
  readonly lines: readonly number[];
}

const LINES_MAX = 4;

/** A scale with round numbers, of which the highest is not below the highest count. */
export function countScale(highest: number): CountScale {
  const least = Math.max(1, Math.ceil(highest / LINES_MAX));
  const power = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10) * power;
  const count = Math.max(1, Math.ceil(highest / step));
  return { top: count * step, lines: Array.from({ length: count + 1 }, (_, n) => n * step) };
}
