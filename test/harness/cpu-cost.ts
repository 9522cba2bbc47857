/** A request may hold up all others of its process for so long, in ms of the machine on which it was set. */
const MS_MAX = 50;
/** What takes less is not compared: it is noise, and whatever grows from it to the bound has not grown far. */
const MS_COMPARED = 5;
/** Of N parts and of a quarter of them: 4 if each part costs the same, 16 if each costs as much as there are parts. */
const GROWTH_MAX = 9;
const TRIES = 6;
/** Beyond it no other try will help. */
const MS_HOPELESS = 10 * MS_MAX;
/** What `calibrate` took on that machine, when it was quiet. */
const LOOP_MS = 6;

/** Input of a number of parts. */
export type Grown<Input> = (parts: number) => Input;

/** How many times slower this machine is. A fast one is held to the same bounds. */
const slower = Math.max(1, cheapestMs(calibrate) / LOOP_MS);

/**
 * Why an input costs too much. Undefined: at its largest it takes less than 50 ms, and four times as much of it costs about four times
 * as much.
 *
 * CPU time of this thread, so that other processes do not count, in which client and service may run; of several tries the
 * cheapest, since what else the thread does, such as collecting garbage, falls into some of them. A bound that is missed by luck
 * would have to be missed each time.
 */
export async function costProblem<Input>(
  grown: Grown<Input>,
  parts: number,
  run: (input: Input) => unknown,
): Promise<string | undefined> {
  const [whole, quarter] = [grown(parts), grown(Math.floor(parts / 4))];
  let [most, least] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < TRIES; tries++) {
    most = Math.min(most, await msOf(() => run(whole)));
    if (most < MS_COMPARED) return undefined;
    if (tries > 0 && most > MS_HOPELESS) break;
    least = Math.min(least, await msOf(() => run(quarter)));
    if (most < MS_MAX && most < GROWTH_MAX * Math.max(least, 1)) return undefined;
  }
  return `takes ${most.toFixed(1)} ms, and ${least.toFixed(1)} ms for a quarter of it`;
}

async function msOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  return msSince(before) / slower;
}

function cheapestMs(work: () => void): number {
  const took = Array.from({ length: TRIES }, () => {
    const before = process.threadCpuUsage();
    work();
    return msSince(before);
  });
  return Math.min(...took);
}

function msSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** What parsers do: making, splitting and looking up texts. */
function calibrate(): void {
  const found = new Map<string, number>();
  for (const part of JSON.parse(JSON.stringify(Array.from({ length: 20_000 }, (_, n) => `part ${n}`))))
    for (const word of part.split(" ")) found.set(word, (found.get(word) ?? 0) + 1);
}
